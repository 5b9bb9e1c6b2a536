-- As before, with plans that are made once for each owner instead of for each budget that begins: a thousand budgets that begin
-- together take a fifth of the time. Without statistics a small table would be read as a whole, however large it grows.
CREATE OR REPLACE FUNCTION "usage_charged"("owner" text, "id" text, "since" timestamp with time zone, "till" timestamp with time zone)
RETURNS bigint LANGUAGE plpgsql
SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
	found bigint;
BEGIN
	CASE $1
	WHEN 'key_id' THEN
		WITH kept AS MATERIALIZED (
			SELECT coalesce((SELECT (value #>> '{}')::timestamptz FROM settings WHERE name = 'usageRowsKeptFrom'), '-infinity') AS since
		), apart AS MATERIALIZED (
			SELECT "hour" FROM usage_marks WHERE "hour" > $3 - interval '1 hour' AND "hour" < $4
			UNION SELECT date_trunc('hour', edge, 'UTC') FROM unnest(ARRAY[$3, $4]) AS edge WHERE edge <> date_trunc('hour', edge, 'UTC')
		)
		SELECT coalesce((
			SELECT sum(charged) FROM usage_hours, kept
			WHERE key_id = $2 AND "hour" >= $3 AND "hour" < $4 AND ("hour" < kept.since OR "hour" NOT IN (SELECT "hour" FROM apart))
		), 0) + coalesce((
			SELECT sum(part.charged) FROM apart, LATERAL (
				SELECT sum(charged) AS charged FROM logs
				WHERE key_id = $2 AND at >= greatest(apart."hour", $3) AND at < least(apart."hour" + interval '1 hour', $4)
			) AS part
		), 0) INTO found;
	WHEN 'user_id' THEN
		WITH kept AS MATERIALIZED (
			SELECT coalesce((SELECT (value #>> '{}')::timestamptz FROM settings WHERE name = 'usageRowsKeptFrom'), '-infinity') AS since
		), apart AS MATERIALIZED (
			SELECT "hour" FROM usage_marks WHERE "hour" > $3 - interval '1 hour' AND "hour" < $4
			UNION SELECT date_trunc('hour', edge, 'UTC') FROM unnest(ARRAY[$3, $4]) AS edge WHERE edge <> date_trunc('hour', edge, 'UTC')
		)
		SELECT coalesce((
			SELECT sum(charged) FROM usage_hours, kept
			WHERE user_id = $2 AND "hour" >= $3 AND "hour" < $4 AND ("hour" < kept.since OR "hour" NOT IN (SELECT "hour" FROM apart))
		), 0) + coalesce((
			SELECT sum(part.charged) FROM apart, LATERAL (
				SELECT sum(charged) AS charged FROM logs
				WHERE user_id = $2 AND at >= greatest(apart."hour", $3) AND at < least(apart."hour" + interval '1 hour', $4)
			) AS part
		), 0) INTO found;
	WHEN 'group' THEN
		WITH kept AS MATERIALIZED (
			SELECT coalesce((SELECT (value #>> '{}')::timestamptz FROM settings WHERE name = 'usageRowsKeptFrom'), '-infinity') AS since
		), apart AS MATERIALIZED (
			SELECT "hour" FROM usage_marks WHERE "hour" > $3 - interval '1 hour' AND "hour" < $4
			UNION SELECT date_trunc('hour', edge, 'UTC') FROM unnest(ARRAY[$3, $4]) AS edge WHERE edge <> date_trunc('hour', edge, 'UTC')
		)
		SELECT coalesce((
			SELECT sum(charged) FROM usage_hours, kept
			WHERE "group" = $2 AND "hour" >= $3 AND "hour" < $4 AND ("hour" < kept.since OR "hour" NOT IN (SELECT "hour" FROM apart))
		), 0) + coalesce((
			SELECT sum(part.charged) FROM apart, LATERAL (
				SELECT sum(charged) AS charged FROM logs
				WHERE "group" = $2 AND at >= greatest(apart."hour", $3) AND at < least(apart."hour" + interval '1 hour', $4)
			) AS part
		), 0) INTO found;
	END CASE;
	RETURN found;
END
$$;
