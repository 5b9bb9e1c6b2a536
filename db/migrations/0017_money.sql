-- Rows whose charge may still change, and the memory of a cluster whose database has lost commits.
CREATE TABLE "unsettled" (
	"request_id" text PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"since" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recoveries" (
	"id" integer PRIMARY KEY NOT NULL,
	"timeline" bigint NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"due" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "telling" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
-- The timeline of this server: every promotion makes a new one. 0 where the server has none to tell.
CREATE FUNCTION "books_timeline"() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	RETURN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint;
EXCEPTION WHEN OTHERS THEN
	RETURN 0;
END
$$;
--> statement-breakpoint
INSERT INTO "recoveries" VALUES (1, books_timeline(), '-infinity', '{}');
--> statement-breakpoint
-- Begins a recovery unless one has begun within the last minute. Due are the instances that were seen in the last half minute that this
-- database knows of; only their numbers are compared, for the clock of another server may differ.
CREATE FUNCTION "books_recover"() RETURNS void LANGUAGE sql AS $$
	UPDATE recoveries SET timeline = books_timeline(), since = clock_timestamp(), due = (
		SELECT coalesce(jsonb_object_agg(id::text, seq::text), '{}') FROM instances
		WHERE state = 'live' AND seen > (SELECT max(seen) FROM instances) - interval '30 seconds'
	) WHERE since < clock_timestamp() - interval '1 minute' OR timeline <> books_timeline()
$$;
--> statement-breakpoint
-- One row when leases may be taken, else none. After a loss of commits nobody takes for three seconds, until every instance that is due
-- has been heard again, for a minute at most, and while any is writing again what was lost. What is missing then stays on lease.
CREATE FUNCTION "books_may_take"() RETURNS SETOF boolean LANGUAGE plpgsql AS $$
DECLARE
	last recoveries;
BEGIN
	SELECT * INTO last FROM recoveries WHERE id = 1;
	IF last.timeline <> books_timeline() THEN
		PERFORM books_recover();
		RETURN;
	END IF;
	IF EXISTS (SELECT FROM instances WHERE telling AND seen > clock_timestamp() - interval '30 seconds') THEN RETURN; END IF;
	IF last.since > clock_timestamp() - interval '1 minute' AND (
		last.since > clock_timestamp() - coalesce(nullif(current_setting('parley.recovery', true), ''), '3 seconds')::interval
		OR EXISTS (
			SELECT FROM jsonb_each_text(last.due) AS d(id, seq) JOIN instances ON instances.id = d.id::bigint
			WHERE instances.state = 'live' AND instances.seq <= d.seq::bigint
		)
	) THEN RETURN; END IF;
	RETURN NEXT true;
END
$$;
--> statement-breakpoint
-- The real ends of requests that are in the books as interrupted: each replaces its row, once, and what it costs more or less goes
-- through the same accounts. `lines` as for `books_sync`. More is taken only as far as all accounts have it free.
CREATE FUNCTION "books_correct"("lines" jsonb) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
	each record;
	payers text[];
	before bigint;
	extra bigint;
BEGIN
	PERFORM pg_advisory_xact_lock_shared(727539265);
	FOR each IN
		SELECT l."row", l.accounts, l.cost, unsettled.request_id, unsettled.at
		FROM jsonb_to_recordset(lines) AS l(n integer, "row" jsonb, accounts text[], cost bigint)
		JOIN unsettled ON unsettled.request_id = l."row" ->> 'request_id' AND unsettled.at = (l."row" ->> 'at')::timestamptz
		ORDER BY l.n
	LOOP
		DELETE FROM unsettled WHERE unsettled.request_id = each.request_id AND unsettled.since > clock_timestamp() - interval '1 day';
		CONTINUE WHEN NOT FOUND;
		SELECT coalesce(array_agg(DISTINCT accounts.id ORDER BY accounts.id), '{}') INTO payers FROM accounts
		WHERE accounts.id = ANY (each.accounts) OR (
			accounts.kind = 'budget'
			AND (accounts.of_id, accounts."of") IN ((each."row" ->> 'key_id', 'key'), (each."row" ->> 'user_id', 'user'), (each."row" ->> 'group', 'group'))
			AND each.at >= coalesce(accounts."from", '-infinity') AND each.at < coalesce(accounts.until, 'infinity')
		);
		PERFORM 1 FROM accounts WHERE accounts.id = ANY (payers) ORDER BY accounts.id FOR NO KEY UPDATE;
		DELETE FROM logs WHERE logs.at = each.at AND logs.request_id = each.request_id RETURNING charged INTO before;
		CONTINUE WHEN NOT FOUND;
		SELECT least(each.cost - before, coalesce(min(greatest(accounts.free, 0)), 0)) INTO extra
		FROM accounts WHERE accounts.id = ANY (each.accounts);
		INSERT INTO logs SELECT r.* FROM jsonb_populate_record(null::logs, each."row" || jsonb_build_object('charged', before + extra)) AS r;
		INSERT INTO entries (wallet_id, amount, kind, ref, actor, reason, at)
		SELECT each.accounts[1], -extra, 'usage', 'usage:' || each.request_id || ':end', coalesce(each."row" ->> 'key', 'session'),
			(each."row" ->> 'operation') || ' ' || (each."row" ->> 'model'), each.at
		WHERE extra <> 0;
		UPDATE accounts SET free = accounts.free - extra WHERE accounts.id = ANY (payers);
	END LOOP;
END
$$;
