// Paths that are guarded, as recorded with the official SDK.
import { expect, it } from "vitest"
import { isGuarded } from "../../src/permissions/places.ts"

const GUARDED =
  ".bash_aliases .bash_login .bash_logout .bash_profile .bazelrc .bazeliskrc .bazelversion .bunfig.toml .cargo/config.toml " +
  ".cargo/sub/x .CARGO/x .claude.json .claude/x .config/git .config/git/config a/.config/git/sub/x .devcontainer " +
  ".devcontainer/x .devcontainer.json .envrc .Envrc sub/.envrc .git .git/hooks/x .gitconfig .gitmodules .husky .husky/x " +
  ".idea/x .lefthook.yml .lefthook.yaml lefthook.yml lefthook.yaml .mcp.json .mvn/x .npmrc .NPMRC sub/.npmrc .pnp.cjs .pnp.js " +
  ".pnp.loader.mjs .pnpmfile.cjs .pre-commit-config.yaml .profile .ripgreprc .vscode/x .yarn .yarn/releases/y.cjs .yarnrc " +
  ".yarnrc.yml .zlogin .zlogout .zprofile .zshenv .zshrc bunfig.toml .config/zsh/.zshrc"

const FREE =
  ".bash_history .config/x .config/gitx git/config .docker/config.json .editorconfig .env .env.local .envrc.local .eslintrc.js " +
  ".gitattributes .github/workflows/x.yml .gitignore .gitlab-ci.yml .lefthook.toml .npmrc.bak .pnp.mjs .pre-commit-config.yml " +
  ".ssh/config .vimrc .yarnrc.json .zshrc.local AGENTS.md CLAUDE.md Makefile gradlew lefthook.json package.json pnpmfile.cjs"

it.each(GUARDED.split(" "))("%s is guarded", (path) => expect(isGuarded(`/workspace/${path}`)).toBe(true))

it.each(FREE.split(" "))("%s is not guarded", (path) => expect(isGuarded(`/workspace/${path}`)).toBe(false))
