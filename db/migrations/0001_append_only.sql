-- Entries are never changed: a wrong one is corrected by another one.
CREATE FUNCTION "entries_are_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'entries are append-only' USING ERRCODE = 'integrity_constraint_violation';
END
$$;
--> statement-breakpoint
CREATE TRIGGER "entries_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "entries"
	FOR EACH STATEMENT EXECUTE FUNCTION "entries_are_append_only"();
