-- Usage rows by month of their request, so that old months can go without touching new ones, and what they add up to by the hour.
ALTER TABLE "logs" RENAME TO "logs_before";
--> statement-breakpoint
ALTER TABLE "logs_before" RENAME CONSTRAINT "logs_pkey" TO "logs_before_pkey";
--> statement-breakpoint
DROP INDEX "logs_at";
--> statement-breakpoint
DROP INDEX "logs_user_at";
--> statement-breakpoint
CREATE TABLE "logs" (
	"request_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"user_id" text NOT NULL,
	"key_id" text,
	"key" text,
	"group" text NOT NULL,
	"model" text NOT NULL,
	"upstream_model" text,
	"channel" text,
	"operation" text NOT NULL,
	"dialect" text NOT NULL,
	"stream" boolean NOT NULL,
	"status" integer NOT NULL,
	"end" text NOT NULL,
	"error" jsonb,
	"usage" jsonb,
	"provenance" text,
	"cost" bigint NOT NULL,
	"charged" bigint NOT NULL,
	"price" jsonb,
	"losses" jsonb NOT NULL,
	"first_token_ms" integer,
	"total_ms" integer NOT NULL,
	"attempts" jsonb NOT NULL,
	"upstream_cost" bigint,
	"upstream_price" jsonb,
	"lines" jsonb,
	CONSTRAINT "logs_at_request_id_pk" PRIMARY KEY("at","request_id")
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE INDEX "logs_request" ON "logs" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "logs_user_at" ON "logs" USING btree ("user_id","at" DESC NULLS FIRST,"request_id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "logs_key_at" ON "logs" USING btree ("key_id","at");--> statement-breakpoint
CREATE INDEX "logs_group_at" ON "logs" USING btree ("group","at");--> statement-breakpoint
CREATE INDEX "logs_model_at" ON "logs" USING btree ("model","at");--> statement-breakpoint
CREATE INDEX "logs_channel_at" ON "logs" USING btree ("channel","at");--> statement-breakpoint
-- Takes what no month takes: no row is ever refused.
CREATE TABLE "logs_default" PARTITION OF "logs" DEFAULT;
--> statement-breakpoint
CREATE TABLE "usage_hours" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "usage_hours_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"hour" timestamp with time zone NOT NULL,
	"user_id" text NOT NULL,
	"key_id" text NOT NULL,
	"key" text,
	"group" text NOT NULL,
	"model" text NOT NULL,
	"channel" text NOT NULL,
	"requests" numeric NOT NULL,
	"errors" numeric NOT NULL,
	"fresh" numeric NOT NULL,
	"cache_read" numeric NOT NULL,
	"cache_write" numeric NOT NULL,
	"audio_in" numeric NOT NULL,
	"image_in" numeric NOT NULL,
	"output" numeric NOT NULL,
	"reasoning" numeric NOT NULL,
	"audio_out" numeric NOT NULL,
	"image_out" numeric NOT NULL,
	"images" numeric NOT NULL,
	"seconds" numeric NOT NULL,
	"characters" numeric NOT NULL,
	"searches" numeric NOT NULL,
	"cost" numeric NOT NULL,
	"charged" numeric NOT NULL,
	"upstream_cost" numeric,
	"margin" numeric,
	"total_ms" jsonb NOT NULL,
	"first_token_ms" jsonb NOT NULL
);
--> statement-breakpoint
CREATE INDEX "usage_hours_hour" ON "usage_hours" USING btree ("hour");
--> statement-breakpoint
CREATE TABLE "usage_marks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "usage_marks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"hour" timestamp with time zone NOT NULL
);
--> statement-breakpoint
-- Marks the hours of new rows: their sums are out of date. Marks are only added here, never looked at, so that nobody waits for
-- anybody; who sees a mark sees its rows.
CREATE FUNCTION "logs_mark_hours"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO usage_marks ("hour") SELECT DISTINCT date_trunc('hour', fresh."at", 'UTC') FROM fresh;
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "logs_mark_hours" AFTER INSERT ON "logs" REFERENCING NEW TABLE AS fresh
	FOR EACH STATEMENT EXECUTE FUNCTION "logs_mark_hours"();
--> statement-breakpoint
-- Makes the partition of the month that an instant lies in (UTC), with the rows of it that came before; false when it is there.
CREATE FUNCTION "logs_add_month"("instant" timestamp with time zone) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	first_day timestamp := date_trunc('month', "instant" AT TIME ZONE 'UTC');
	since timestamptz := first_day AT TIME ZONE 'UTC';
	until timestamptz := (first_day + interval '1 month') AT TIME ZONE 'UTC';
	name text := 'logs_' || to_char(first_day, 'YYYY_MM');
BEGIN
	IF to_regclass(name) IS NOT NULL THEN RETURN false; END IF;
	-- Whoever writes a row must look for its month after this: found in the default partition, it would be refused there.
	LOCK TABLE ONLY logs IN ACCESS EXCLUSIVE MODE;
	IF to_regclass(name) IS NOT NULL THEN RETURN false; END IF;
	EXECUTE format('CREATE TABLE %I (LIKE logs INCLUDING ALL)', name);
	EXECUTE format('WITH moved AS (DELETE FROM logs_default WHERE "at" >= %L AND "at" < %L RETURNING *) INSERT INTO %I SELECT * FROM moved', since, until, name);
	EXECUTE format('ALTER TABLE logs ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, since, until);
	RETURN true;
END
$$;
--> statement-breakpoint
SELECT "logs_add_month"("month") FROM (SELECT DISTINCT date_trunc('month', "at", 'UTC') AS "month" FROM "logs_before") AS "months";
--> statement-breakpoint
-- Indexes hold names of up to 256 characters; doors that let longer ones through kept them in the rows of their refusals.
UPDATE "logs_before" SET "model" = left("model", 256) WHERE length("model") > 256;
--> statement-breakpoint
INSERT INTO "logs" SELECT * FROM "logs_before";
--> statement-breakpoint
DROP TABLE "logs_before";
--> statement-breakpoint
-- A budget that begins counts what was charged in its window before: by usage rows, and where they have been dropped by their sums.
CREATE OR REPLACE FUNCTION "budgets_open"("ask" jsonb) RETURNS void LANGUAGE sql AS $$
	INSERT INTO accounts (id, kind, free, "limit", "of", of_id, "from", until)
	SELECT b.account, 'budget', b."limit" - coalesce(CASE b."of"
		WHEN 'key' THEN (SELECT sum(logs.charged) FROM logs WHERE logs.key_id = b."ofId" AND logs.at >= b.since AND logs.at < b.till)
		WHEN 'user' THEN (SELECT sum(logs.charged) FROM logs WHERE logs.user_id = b."ofId" AND logs.at >= b.since AND logs.at < b.till)
		WHEN 'group' THEN (SELECT sum(logs.charged) FROM logs WHERE logs."group" = b."ofId" AND logs.at >= b.since AND logs.at < b.till)
	END, 0) - coalesce((
		SELECT sum(h.charged) FROM usage_hours AS h
		WHERE b."ofId" = CASE b."of" WHEN 'key' THEN h.key_id WHEN 'user' THEN h.user_id WHEN 'group' THEN h."group" END
			AND h.hour >= b.since AND h.hour < b.till
			AND h.hour < (SELECT (settings.value #>> '{}')::timestamptz FROM settings WHERE settings.name = 'usageRowsKeptFrom')
	), 0)::bigint, b."limit", b."of", b."ofId", b."from", b.until
	FROM (
		SELECT DISTINCT ON (k.account) k.account, t.*, coalesce(t."from", '-infinity') AS since, coalesce(t.until, 'infinity') AS till
		FROM jsonb_array_elements(ask) AS list, jsonb_to_recordset(list) AS k(account text, budget jsonb),
			jsonb_to_record(k.budget) AS t("limit" bigint, "of" text, "ofId" text, "from" timestamptz, until timestamptz)
		WHERE k.budget IS NOT NULL
		ORDER BY k.account
	) AS b
	ON CONFLICT DO NOTHING
$$;
