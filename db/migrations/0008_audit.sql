CREATE TABLE "audit" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"actor" text NOT NULL,
	"actor_name" text,
	"action" text NOT NULL,
	"target" text NOT NULL,
	"target_name" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"request_id" text
);
--> statement-breakpoint
CREATE INDEX "audit_actor" ON "audit" USING btree ("actor","id");
--> statement-breakpoint
CREATE INDEX "audit_target" ON "audit" USING btree ("target","id");
--> statement-breakpoint
CREATE INDEX "audit_action" ON "audit" USING btree ("action","id");
--> statement-breakpoint
-- What happened is never rewritten.
CREATE FUNCTION "audit_is_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'audit is append-only' USING ERRCODE = 'integrity_constraint_violation';
END
$$;
--> statement-breakpoint
CREATE TRIGGER "audit_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit"
	FOR EACH STATEMENT EXECUTE FUNCTION "audit_is_append_only"();
