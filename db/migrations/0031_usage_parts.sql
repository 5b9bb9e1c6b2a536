CREATE TABLE "usage_parts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "usage_parts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
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
CREATE TABLE "usage_parts_since" (
	"hour" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "usage_marks" ADD COLUMN "ats" timestamp with time zone[];--> statement-breakpoint
ALTER TABLE "usage_marks" ADD COLUMN "ids" text[];--> statement-breakpoint
ALTER TABLE "usage_marks" ADD COLUMN "apart" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "usage_parts_hour" ON "usage_parts" USING btree ("hour");
--> statement-breakpoint
-- Keys of a call are looked at once or twice, within a minute: compressing them costs more than it saves.
ALTER TABLE "usage_marks" ALTER COLUMN "ats" SET STORAGE EXTERNAL, ALTER COLUMN "ids" SET STORAGE EXTERNAL;
--> statement-breakpoint
-- Marks the hours of new rows and names the rows. As before, marks are only added here, never looked at, so that nobody waits for anybody;
-- who sees a mark sees its rows.
CREATE OR REPLACE FUNCTION "logs_mark_hours"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO usage_marks ("hour", ats, ids)
	SELECT date_trunc('hour', fresh."at", 'UTC'), array_agg(fresh."at"), array_agg(fresh.request_id) FROM fresh GROUP BY 1;
	RETURN NULL;
END
$$;
--> statement-breakpoint
-- The hour since which `usage_parts` and marks together tell of every row. Rows that were written before this migration have no names.
INSERT INTO usage_parts_since ("hour") VALUES (date_trunc('hour', now(), 'UTC') + interval '2 hours');
--> statement-breakpoint
-- A row that goes (the end of an interrupted request replaces it) may be in a sum already.
CREATE FUNCTION "logs_mark_gone"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO usage_marks ("hour", apart)
	SELECT DISTINCT date_trunc('hour', gone."at", 'UTC'), true FROM gone
	WHERE gone."at" >= (SELECT "hour" FROM usage_parts_since);
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "logs_mark_gone" AFTER DELETE ON "logs" REFERENCING OLD TABLE AS gone
	FOR EACH STATEMENT EXECUTE FUNCTION "logs_mark_gone"();
