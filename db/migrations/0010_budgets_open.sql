-- A budget that begins counts what was charged in its window before, and everybody who settles waits meanwhile. Of an hour without a
-- mark the sums are exact; rows are read of hours with one, and of those that the window cuts through.
CREATE INDEX "usage_hours_key" ON "usage_hours" USING btree ("key_id","hour","charged");--> statement-breakpoint
CREATE INDEX "usage_hours_user" ON "usage_hours" USING btree ("user_id","hour","charged");--> statement-breakpoint
CREATE INDEX "usage_hours_group" ON "usage_hours" USING btree ("group","hour","charged");--> statement-breakpoint
-- What was charged from `since` until before `till` in the rows whose `owner`, which is a column of both tables, is `id`. Where rows
-- have been dropped an hour counts as a whole, by its beginning; what came late to it has a mark until it is added up.
-- Volatile and one statement: it looks at the books of one moment, which is after it has got its locks, so that rows that are being
-- dropped or added up meanwhile are seen once, as rows or as sums.
CREATE FUNCTION "usage_charged"("owner" text, "id" text, "since" timestamp with time zone, "till" timestamp with time zone)
RETURNS bigint LANGUAGE plpgsql SET jit = off AS $$
DECLARE
	found bigint;
BEGIN
	EXECUTE format('
		WITH kept AS MATERIALIZED (
			SELECT coalesce((SELECT (value #>> ''{}'')::timestamptz FROM settings WHERE name = ''usageRowsKeptFrom''), ''-infinity'') AS since
		), apart AS MATERIALIZED (
			SELECT "hour" FROM usage_marks WHERE "hour" > $2 - interval ''1 hour'' AND "hour" < $3
			UNION SELECT date_trunc(''hour'', edge, ''UTC'') FROM unnest(ARRAY[$2, $3]) AS edge WHERE edge <> date_trunc(''hour'', edge, ''UTC'')
		)
		SELECT coalesce((
			SELECT sum(charged) FROM usage_hours, kept
			WHERE %1$I = $1 AND "hour" >= $2 AND "hour" < $3 AND ("hour" < kept.since OR "hour" NOT IN (SELECT "hour" FROM apart))
		), 0) + coalesce((
			SELECT sum(part.charged) FROM apart, LATERAL (
				SELECT sum(charged) AS charged FROM logs
				WHERE %1$I = $1 AND at >= greatest(apart."hour", $2) AND at < least(apart."hour" + interval ''1 hour'', $3)
			) AS part
		), 0)', "owner") INTO found USING "id", "since", "till";
	RETURN found;
END
$$;
--> statement-breakpoint
-- The budgets among what is asked for that are not there yet: each begins with what is left of its limit.
CREATE OR REPLACE FUNCTION "budgets_open"("ask" jsonb) RETURNS void LANGUAGE sql AS $$
	INSERT INTO accounts (id, kind, free, "limit", "of", of_id, "from", until)
	SELECT b.account, 'budget', b."limit" - usage_charged(
		CASE b."of" WHEN 'key' THEN 'key_id' WHEN 'user' THEN 'user_id' WHEN 'group' THEN 'group' END, b."ofId",
		coalesce(b."from", '-infinity'), coalesce(b.until, 'infinity')
	), b."limit", b."of", b."ofId", b."from", b.until
	FROM (
		SELECT DISTINCT ON (k.account) k.account, t.*
		FROM jsonb_array_elements(ask) AS list, jsonb_to_recordset(list) AS k(account text, budget jsonb),
			jsonb_to_record(k.budget) AS t("limit" bigint, "of" text, "ofId" text, "from" timestamptz, until timestamptz)
		WHERE k.budget IS NOT NULL AND NOT EXISTS (SELECT FROM accounts WHERE accounts.id = k.account)
		ORDER BY k.account
	) AS b
	ON CONFLICT DO NOTHING
$$;
