CREATE TABLE "usage_rollup_marks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "usage_rollup_marks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"day" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_rollups" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "usage_rollups_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"level" text NOT NULL,
	"start" timestamp with time zone NOT NULL,
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
CREATE INDEX "usage_rollups_level" ON "usage_rollups" USING btree ("level","start");--> statement-breakpoint
CREATE INDEX "usage_rollups_key" ON "usage_rollups" USING btree ("key_id","start") WHERE "usage_rollups"."level" = 'days';--> statement-breakpoint
CREATE INDEX "usage_rollups_user" ON "usage_rollups" USING btree ("user_id","start") WHERE "usage_rollups"."level" = 'days';--> statement-breakpoint
-- Marks the days whose hours changed: their rollups are out of date. As with the marks of hours, marks are only added here.
CREATE FUNCTION "usage_hours_mark_days"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO usage_rollup_marks ("day") SELECT DISTINCT date_trunc('day', changed."hour", 'UTC') FROM changed;
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "usage_hours_added" AFTER INSERT ON "usage_hours" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "usage_hours_mark_days"();
--> statement-breakpoint
CREATE TRIGGER "usage_hours_removed" AFTER DELETE ON "usage_hours" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "usage_hours_mark_days"();
--> statement-breakpoint
-- What there is already is rolled up in the background; until then reports read the hours.
INSERT INTO "usage_rollup_marks" ("day") SELECT DISTINCT date_trunc('day', "hour", 'UTC') FROM "usage_hours";
