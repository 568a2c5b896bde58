-- What each turn came to, and running totals for metrics. The totals are kept by triggers, so that a row which is written
-- twice counts once. An erased session's turns and costs stay in the totals; rows that are rebuilt leave them as they were.

CREATE TABLE turns (
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL, -- of the turn's result
  at INTEGER NOT NULL, -- ms since 1970
  turn TEXT NOT NULL,
  outcome TEXT NOT NULL, -- the result's subtype
  duration_ms INTEGER NOT NULL,
  PRIMARY KEY (tenant, session_id, seq)
) WITHOUT ROWID;

-- `le_N`: turns that took at most N seconds.
CREATE TABLE turn_totals (
  tenant TEXT NOT NULL,
  outcome TEXT NOT NULL,
  turns INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  le_1 INTEGER NOT NULL,
  le_5 INTEGER NOT NULL,
  le_15 INTEGER NOT NULL,
  le_60 INTEGER NOT NULL,
  le_300 INTEGER NOT NULL,
  le_1800 INTEGER NOT NULL,
  PRIMARY KEY (tenant, outcome)
) WITHOUT ROWID;

CREATE TABLE cost_totals (
  tenant TEXT NOT NULL,
  model TEXT NOT NULL,
  requests INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  web_searches INTEGER NOT NULL,
  usd REAL NOT NULL,
  unpriced INTEGER NOT NULL,
  wasted INTEGER NOT NULL,
  PRIMARY KEY (tenant, model)
) WITHOUT ROWID;

INSERT INTO cost_totals
  SELECT tenant, model, count(*), sum(input), sum(output), sum(cache_read), sum(cache_write_5m + cache_write_1h),
    sum(web_searches), coalesce(sum(usd), 0), sum(usd IS NULL), sum(wasted)
  FROM costs GROUP BY tenant, model;

CREATE TRIGGER turns_counted AFTER INSERT ON turns
BEGIN
  INSERT INTO turn_totals VALUES (NEW.tenant, NEW.outcome, 1, NEW.duration_ms, NEW.duration_ms <= 1000, NEW.duration_ms <= 5000,
    NEW.duration_ms <= 15000, NEW.duration_ms <= 60000, NEW.duration_ms <= 300000, NEW.duration_ms <= 1800000)
  ON CONFLICT (tenant, outcome) DO UPDATE SET turns = turns + 1, duration_ms = duration_ms + excluded.duration_ms,
    le_1 = le_1 + excluded.le_1, le_5 = le_5 + excluded.le_5, le_15 = le_15 + excluded.le_15,
    le_60 = le_60 + excluded.le_60, le_300 = le_300 + excluded.le_300, le_1800 = le_1800 + excluded.le_1800;
END;

CREATE TRIGGER turns_uncounted AFTER DELETE ON turns
WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE tenant = OLD.tenant AND session_id = OLD.session_id AND deleted_at IS NOT NULL)
BEGIN
  UPDATE turn_totals SET turns = turns - 1, duration_ms = duration_ms - OLD.duration_ms,
    le_1 = le_1 - (OLD.duration_ms <= 1000), le_5 = le_5 - (OLD.duration_ms <= 5000),
    le_15 = le_15 - (OLD.duration_ms <= 15000), le_60 = le_60 - (OLD.duration_ms <= 60000),
    le_300 = le_300 - (OLD.duration_ms <= 300000), le_1800 = le_1800 - (OLD.duration_ms <= 1800000)
  WHERE tenant = OLD.tenant AND outcome = OLD.outcome;
END;

CREATE TRIGGER costs_counted AFTER INSERT ON costs
BEGIN
  INSERT INTO cost_totals VALUES (NEW.tenant, NEW.model, 1, NEW.input, NEW.output, NEW.cache_read,
    NEW.cache_write_5m + NEW.cache_write_1h, NEW.web_searches, coalesce(NEW.usd, 0), NEW.usd IS NULL, NEW.wasted)
  ON CONFLICT (tenant, model) DO UPDATE SET requests = requests + 1, input = input + excluded.input,
    output = output + excluded.output, cache_read = cache_read + excluded.cache_read,
    cache_write = cache_write + excluded.cache_write, web_searches = web_searches + excluded.web_searches,
    usd = usd + excluded.usd, unpriced = unpriced + excluded.unpriced, wasted = wasted + excluded.wasted;
END;

CREATE TRIGGER costs_uncounted AFTER DELETE ON costs
WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE tenant = OLD.tenant AND session_id = OLD.session_id AND deleted_at IS NOT NULL)
BEGIN
  UPDATE cost_totals SET requests = requests - 1, input = input - OLD.input, output = output - OLD.output,
    cache_read = cache_read - OLD.cache_read, cache_write = cache_write - OLD.cache_write_5m - OLD.cache_write_1h,
    web_searches = web_searches - OLD.web_searches, usd = usd - coalesce(OLD.usd, 0),
    unpriced = unpriced - (OLD.usd IS NULL), wasted = wasted - OLD.wasted
  WHERE tenant = OLD.tenant AND model = OLD.model;
END;
