// The names of file types that a search accepts, as ripgrep's `--type`, and the endings or file names of each.

const ENDINGS: Readonly<Record<string, string>> = {
  asm: "asm s S",
  c: "c h",
  clojure: "clj cljc cljs cljx",
  cmake: "cmake CMakeLists.txt",
  config: "cfg conf config ini",
  cpp: "C cc cpp cxx c++ h hh hpp hxx h++ inl H",
  cs: "cs",
  css: "css scss",
  csv: "csv",
  dart: "dart",
  docker: "Dockerfile dockerfile",
  elixir: "ex eex exs heex leex livemd",
  elm: "elm",
  erlang: "erl hrl",
  go: "go",
  gradle: "gradle gradle.kts",
  graphql: "graphql graphqls",
  groovy: "groovy gradle",
  h: "h hh hpp",
  haskell: "hs lhs",
  html: "htm html ejs",
  java: "java jsp jspx properties",
  js: "js jsx vue cjs mjs",
  json: "json composer.lock sarif",
  julia: "jl",
  kotlin: "kt kts",
  less: "less",
  log: "log",
  lua: "lua",
  make: "mk mak Makefile makefile GNUmakefile",
  markdown: "markdown md mdown mdwn mdx mkd mkdn",
  md: "markdown md mdown mdwn mdx mkd mkdn",
  nix: "nix",
  objc: "h m",
  ocaml: "ml mli mll mly",
  perl: "perl pl PL plh plx pm t",
  php: "php php3 php4 php5 php7 php8 pht phtml",
  prolog: "pl pro prolog P",
  protobuf: "proto",
  ps: "cdxml ps1 ps1xml psd1 psm1",
  py: "py pyi",
  python: "py pyi",
  r: "R r Rmd Rnw",
  rst: "rst",
  ruby: "rb rbw gemspec Gemfile Rakefile",
  rust: "rs",
  sass: "sass scss",
  scala: "scala sbt",
  sh: "bash bashrc csh cshrc ksh sh tcsh zsh zshrc",
  sql: "sql psql",
  svelte: "svelte",
  svg: "svg",
  swift: "swift",
  tex: "tex ltx cls sty bib dtx ins",
  tf: "tf tfvars tf.json",
  toml: "toml Cargo.lock",
  ts: "ts tsx cts mts",
  txt: "txt",
  typescript: "ts tsx cts mts",
  vue: "vue",
  xml: "xml xsl xslt xsd xjb rng sch xhtml",
  yaml: "yaml yml",
  zig: "zig",
}

/** A test of a file's name, or null when the type is unknown. */
export const fileTypeTest = (type: string): ((name: string) => boolean) | null => {
  const known = Object.hasOwn(ENDINGS, type) ? ENDINGS[type] : undefined
  if (known === undefined) return null
  const endings = new Set(known.split(" "))
  return (name) => {
    if (endings.has(name)) return true
    for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
      if (endings.has(name.slice(dot + 1))) return true
    }
    return false
  }
}
