CREATE TABLE "rates" (
	"id" text PRIMARY KEY NOT NULL,
	"slot" bigint NOT NULL,
	"ring" bigint[] NOT NULL,
	"recalled" timestamp with time zone
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "rate_holders" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"seen" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rate_places" (
	"rate_id" text NOT NULL,
	"holder" text NOT NULL,
	"amount" bigint NOT NULL,
	CONSTRAINT "rate_places_rate_id_holder_pk" PRIMARY KEY("rate_id","holder"),
	CONSTRAINT "rate_places_positive" CHECK ("rate_places"."amount" > 0)
);
--> statement-breakpoint
ALTER TABLE "rate_places" ADD CONSTRAINT "rate_places_rate_id_rates_id_fk" FOREIGN KEY ("rate_id") REFERENCES "public"."rates"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rate_places" ADD CONSTRAINT "rate_places_holder_rate_holders_id_fk" FOREIGN KEY ("holder") REFERENCES "public"."rate_holders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "rate_places_holder" ON "rate_places" USING btree ("holder");--> statement-breakpoint
-- One call of an instance about any number of limits. Locks its own row, then the limits by id.
--   asks  [{id, cap, need, claim, ahead, keep | burn, back}]
--     need   all of it or nothing is got
--     claim  what waits in all: as much of it as there is
--     ahead  for those who will come: at most a quarter of what then is left
--     keep   with requests at once: the places that the caller counts on; what it had beyond goes back
--     burn   per minute: was used without being taken, and counts even beyond the limit
--     back   per minute: {sub-window: amount}, taken and not used
-- What is taken of a minute may be used until the end of the next sub-window. Fourteen of five seconds then cover whatever was
-- used in any sixty seconds, so that together it is never more than the limit.
--   write_off_ms  an instance that was not seen for so long has lost its places, if the caller is `trusting`: it knows that
--                 the database was there to be reached all the time
CREATE FUNCTION "rates_sync"("me" text, "my_seq" bigint, "asks" jsonb, "write_off_ms" integer, "trusting" boolean, "at" timestamp with time zone DEFAULT clock_timestamp())
RETURNS SETOF jsonb LANGUAGE plpgsql AS $$
DECLARE
	slots CONSTANT integer := 14;
	patience CONSTANT integer := 250;
	scarcity CONSTANT integer := 2000;
	at_ms CONSTANT bigint := floor(extract(epoch FROM "at") * 1000);
	this_slot CONSTANT bigint := at_ms / 5000;
	missing_since CONSTANT timestamp with time zone := "at" - write_off_ms * interval '1 millisecond';
	alone boolean;
	ask record;
	part record;
	mine rates%ROWTYPE;
	moved bigint;
	used bigint;
	rest bigint;
	base bigint;
	got bigint;
	short boolean;
	tell boolean;
	since integer;
BEGIN
	INSERT INTO rate_holders AS h (id, seq, seen) VALUES (me, my_seq, "at")
	ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, seen = greatest(h.seen, excluded.seen) WHERE h.seq < excluded.seq;
	IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'PF001'; END IF;
	alone := NOT EXISTS (SELECT FROM rate_holders h WHERE h.id <> me AND h.seen > least(missing_since, "at" - interval '10 seconds'));

	FOR ask IN
		SELECT a.* FROM jsonb_to_recordset(asks)
		AS a(id text, cap bigint, need bigint, claim bigint, ahead bigint, keep bigint, burn bigint, back jsonb) ORDER BY a.id
	LOOP
		SELECT * INTO mine FROM rates r WHERE r.id = ask.id FOR NO KEY UPDATE;
		IF NOT FOUND THEN
			INSERT INTO rates AS r (id, slot, ring) VALUES (ask.id, this_slot, array_fill(0::bigint, ARRAY[slots]))
			ON CONFLICT (id) DO UPDATE SET slot = r.slot RETURNING r.* INTO mine;
		END IF;

		moved := this_slot - mine.slot;
		IF moved > 0 THEN
			mine.ring := (array_fill(0::bigint, ARRAY[least(moved, slots)::integer]) || mine.ring)[1:slots];
			mine.slot := this_slot;
		ELSIF moved < -1 THEN
			-- The clock was set back: what was taken counts as taken now, or the limit would stand still until that time comes again.
			mine.ring := ARRAY[(SELECT sum(n) FROM unnest(mine.ring) n)::bigint] || array_fill(0::bigint, ARRAY[slots - 1]);
			mine.slot := this_slot;
		END IF;

		IF ask.keep IS NULL THEN
			FOR part IN SELECT mine.slot - b.key::bigint + 1 AS n, b.value::bigint AS amount FROM jsonb_each_text(ask.back) b LOOP
				IF part.n BETWEEN 1 AND slots THEN mine.ring[part.n] := greatest(0, mine.ring[part.n] - part.amount); END IF;
			END LOOP;
			mine.ring[1] := mine.ring[1] + ask.burn;
			used := (SELECT sum(n) FROM unnest(mine.ring) n);
		ELSE
			SELECT ask.keep + coalesce(sum(p.amount), 0) INTO used
			FROM rate_places p JOIN rate_holders h ON h.id = p.holder
			WHERE p.rate_id = ask.id AND p.holder <> me AND (h.seen > missing_since OR NOT trusting);
		END IF;

		rest := greatest(0, ask.cap - used);
		short := rest < ask.need;
		base := CASE WHEN short THEN 0 ELSE least(rest, greatest(ask.need, ask.claim)) END;
		got := base + CASE WHEN short THEN 0 ELSE least(ask.ahead, (rest - base) / 4) END;

		since := least(1000000, coalesce(extract(epoch FROM "at" - mine.recalled) * 1000, 1000000));
		tell := short AND NOT alone AND since >= scarcity;
		IF tell THEN
			mine.recalled := "at";
			since := 0;
		END IF;

		IF ask.keep IS NULL THEN
			mine.ring[1] := mine.ring[1] + got;
		ELSIF ask.keep + got > 0 THEN
			INSERT INTO rate_places AS p (rate_id, holder, amount) VALUES (ask.id, me, ask.keep + got)
			ON CONFLICT (rate_id, holder) DO UPDATE SET amount = excluded.amount;
		ELSE
			DELETE FROM rate_places p WHERE p.rate_id = ask.id AND p.holder = me;
		END IF;
		UPDATE rates r SET slot = mine.slot, ring = mine.ring, recalled = mine.recalled WHERE r.id = ask.id;

		RETURN NEXT jsonb_build_object('id', ask.id, 'got', got, 'short', short, 'tell', tell, 'at', at_ms, 'slot', mine.slot, 'ring', mine.ring,
			'waitMs', CASE WHEN short AND NOT alone THEN greatest(0, patience - since) ELSE 0 END,
			'scarceMs', CASE WHEN alone THEN 0 ELSE greatest(0, scarcity - since) END);
	END LOOP;
END
$$;
