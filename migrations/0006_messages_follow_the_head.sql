-- A session whose conversation went on from an earlier message: the seq of the last such move that its messages and parts
-- follow. All of them are written anew with it, so a row with a smaller seq belongs to what was left behind.
ALTER TABLE sessions ADD COLUMN head_seq INTEGER NOT NULL DEFAULT 0;
