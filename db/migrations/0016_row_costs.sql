-- What a usage row costs on its way in. JSON that is only read together with its row becomes one text, what is added up an array, and
-- one small index takes the place of four: see `db/logs.ts`.
ALTER TABLE "logs" ALTER COLUMN "attempts" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "logs" ADD COLUMN "detail" text;--> statement-breakpoint
ALTER TABLE "logs" ADD COLUMN "figures" numeric[];--> statement-breakpoint
DROP INDEX "logs_request";--> statement-breakpoint
DROP INDEX "logs_group_at";--> statement-breakpoint
DROP INDEX "logs_model_at";--> statement-breakpoint
DROP INDEX "logs_channel_at";--> statement-breakpoint
-- For every filter that has no index in the order of time: which stretches of the table may have such rows at all. A row costs it
-- nothing; upkeep summarises what is new. Many requests have these values, so that rare ones are what it is for.
CREATE INDEX "logs_filters" ON "logs" USING brin (
	"request_id" text_bloom_ops (n_distinct_per_range = 1000), "group" text_bloom_ops (n_distinct_per_range = 64),
	"model" text_bloom_ops (n_distinct_per_range = 64), "channel" text_bloom_ops (n_distinct_per_range = 64),
	"status" int4_minmax_ops, "status" int4_bloom_ops (n_distinct_per_range = 16), "end" text_bloom_ops (n_distinct_per_range = 16),
	(("error" ->> 'code')) text_bloom_ops (n_distinct_per_range = 32),
	("stream"::int) int4_minmax_ops, (("losses" <> '[]'::jsonb)::int) int4_minmax_ops, "cost" int8_minmax_ops, "total_ms" int4_minmax_ops
) WITH (pages_per_range = 64);
--> statement-breakpoint
-- A usage entry is written with a charge, which its wallet has just paid: only other entries have their wallet looked up.
ALTER TABLE "entries" DROP CONSTRAINT "entries_wallet_id_accounts_id_fk";
--> statement-breakpoint
DROP INDEX "entries_wallet";
--> statement-breakpoint
CREATE INDEX "entries_wallet" ON "entries" USING btree ("wallet_id","id") WHERE "entries"."kind" <> 'usage';
--> statement-breakpoint
CREATE FUNCTION "entries_have_wallets"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM 1 FROM accounts WHERE accounts.id = NEW.wallet_id FOR KEY SHARE;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'there is no wallet %', NEW.wallet_id USING ERRCODE = 'foreign_key_violation', TABLE = 'entries', COLUMN = 'wallet_id';
	END IF;
	RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "entries_have_wallets" BEFORE INSERT ON "entries"
	FOR EACH ROW WHEN (NEW."kind" <> 'usage') EXECUTE FUNCTION "entries_have_wallets"();
--> statement-breakpoint
-- A wallet without any other entry has never had anything to spend.
CREATE FUNCTION "wallets_with_entries_stay"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM entries WHERE entries.wallet_id = OLD.id AND entries.kind <> 'usage') THEN
		RAISE EXCEPTION 'the wallet % has entries', OLD.id USING ERRCODE = 'foreign_key_violation', TABLE = 'entries', COLUMN = 'wallet_id';
	END IF;
	RETURN OLD;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "wallets_with_entries_stay" BEFORE DELETE ON "accounts"
	FOR EACH ROW WHEN (OLD."kind" = 'wallet') EXECUTE FUNCTION "wallets_with_entries_stay"();
--> statement-breakpoint
-- As `books_sync_rows`, which instances of earlier versions still call, at less than half of its cost. The usual call of an instance: its
-- leases pay every line in full, none is known yet, and no budget counts it that did not hold it. What is unusual is refused as PF002
-- (a line that is known: as a violation of the rows' key), and nothing is done: then `books_sync` is asked, which knows every case.
--   log_...   a column of logs, one array for all rows; of those that are JSON, and of the figures, the texts of all rows with U+001F
--             between them, where an empty text is null. An array that is too short is null from there on.
--   owed      what each line costs its accounts; wallets: the first of them, null for none
--   parts     what the lines cost each account together, and what is in open holds of it now, or null; part_lines: how many of the
--             lines cost it anything
--   owners    keys, users and groups of lines that cost anything, and how many; those lines lie between since and till
--   own, ask  as for `books_sync`
-- However large the tables are, and whatever is known of them, every account is found by its key: joins that the planner could turn
-- around stand behind OFFSET 0, and leases are changed where they were found.
CREATE FUNCTION "books_sync_lines"(
	"me" bigint, "my_seq" bigint, "heard" bigint,
	"log_request_id" text[], "log_at" timestamptz[], "log_user_id" text[], "log_key_id" text[], "log_key" text[],
	"log_group" text[], "log_model" text[], "log_upstream_model" text[], "log_channel" text[], "log_operation" text[],
	"log_dialect" text[], "log_stream" boolean[], "log_status" integer[], "log_end" text[], "log_error" text,
	"log_provenance" text[], "log_cost" bigint[], "log_losses" text, "log_first_token_ms" integer[],
	"log_total_ms" integer[], "log_upstream_cost" bigint[], "log_lines" text, "log_detail" text, "log_figures" text,
	"owed" bigint[], "wallets" text[],
	"part_accounts" text[], "part_amounts" bigint[], "part_helds" bigint[], "part_lines" integer[],
	"owner_ofs" text[], "owner_ids" text[], "owner_lines" integer[], "since" timestamptz, "till" timestamptz,
	"own" jsonb, "ask" jsonb
) RETURNS text LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET join_collapse_limit = 1 SET jit = off AS $$
#variable_conflict use_column
DECLARE
	has_rest boolean := own <> '[]' OR ask <> '[]';
	rest jsonb;
	states jsonb;
	paid integer;
BEGIN
	-- With a rest it is `books_sync` that counts the call.
	UPDATE instances SET seq = CASE WHEN has_rest THEN instances.seq ELSE my_seq END, seen = clock_timestamp()
	WHERE instances.id = me AND instances.seq < my_seq AND instances.seq >= heard AND instances.state = 'live';
	IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'PF001'; END IF;

	IF cardinality(log_request_id) > 0 THEN
		-- A budget that begins must lock this by itself, before anybody has it.
		IF ask <> '[]' AND EXISTS (
			SELECT FROM jsonb_array_elements(ask) AS list, jsonb_to_recordset(list) AS k(account text, budget jsonb)
			WHERE k.budget IS NOT NULL AND NOT EXISTS (SELECT FROM accounts WHERE accounts.id = k.account)
		) THEN RAISE EXCEPTION 'unusual' USING ERRCODE = 'PF002'; END IF;
		PERFORM pg_advisory_xact_lock_shared(727539265);
		IF EXISTS (
			SELECT FROM unnest(owner_ofs, owner_ids, owner_lines) AS o("of", id, lines), LATERAL (
				SELECT accounts.id FROM accounts WHERE accounts.kind = 'budget' AND accounts.of_id = o.id AND accounts."of" = o."of"
					AND till >= coalesce(accounts."from", '-infinity') AND since < coalesce(accounts.until, 'infinity') OFFSET 0
			) AS budget
			WHERE (budget.id, o.lines) NOT IN (SELECT p.account, p.lines FROM unnest(part_accounts, part_lines) AS p(account, lines))
		) THEN RAISE EXCEPTION 'unusual' USING ERRCODE = 'PF002'; END IF;
	END IF;

	WITH spent AS (
		UPDATE leases SET amount = leases.amount - p.amount, held = CASE
			WHEN p.held IS NULL THEN least(leases.held, leases.amount - p.amount) ELSE greatest(0, least(p.held, leases.amount - p.amount))
		END FROM (
			SELECT p.*, lease.place FROM unnest(part_accounts, part_amounts, part_helds) AS p(account, amount, held), LATERAL (
				SELECT leases.ctid AS place FROM leases
				WHERE leases.instance = me AND leases.account_id = p.account AND leases.amount >= p.amount OFFSET 0
			) AS lease
			WHERE p.amount > 0 OR p.held IS NOT NULL
		) AS p WHERE leases.ctid = p.place RETURNING p.amount
	) SELECT count(*) FILTER (WHERE spent.amount > 0) INTO paid FROM spent;
	IF paid < (SELECT count(*) FROM unnest(part_amounts) AS p(amount) WHERE p.amount > 0) THEN
		RAISE EXCEPTION 'unusual' USING ERRCODE = 'PF002';
	END IF;

	IF cardinality(log_request_id) > 0 THEN
		INSERT INTO logs ("request_id", "at", "user_id", "key_id", "key", "group", "model", "upstream_model", "channel", "operation", "dialect",
			"stream", "status", "end", "error", "provenance", "cost", "losses", "first_token_ms", "total_ms",
			"upstream_cost", "lines", "detail", "figures", charged)
		SELECT l."request_id", l."at", l."user_id", l."key_id", l."key", l."group", l."model", l."upstream_model", l."channel",
			l."operation", l."dialect", l."stream", l."status", l."end", l."error"::jsonb, l."provenance",
			l."cost", coalesce(l."losses"::jsonb, '[]'), l."first_token_ms", l."total_ms",
			l."upstream_cost", l."lines"::jsonb, l."detail", l."figures"::numeric[], l.owed
		FROM unnest(
			log_request_id, log_at, log_user_id, log_key_id, log_key, log_group, log_model, log_upstream_model, log_channel,
			log_operation, log_dialect, log_stream, log_status, log_end, string_to_array(log_error, E'\x1f', ''),
			log_provenance, log_cost, string_to_array(log_losses, E'\x1f', ''), log_first_token_ms, log_total_ms,
			log_upstream_cost, string_to_array(log_lines, E'\x1f', ''), string_to_array(log_detail, E'\x1f', ''),
			string_to_array(log_figures, E'\x1f', ''), owed
		) AS l("request_id", "at", "user_id", "key_id", "key", "group", "model", "upstream_model", "channel", "operation", "dialect",
			"stream", "status", "end", "error", "provenance", "cost", "losses", "first_token_ms", "total_ms",
			"upstream_cost", "lines", "detail", "figures", owed);

		INSERT INTO entries (wallet_id, amount, kind, ref, actor, reason, at)
		SELECT l.wallet, -l.owed, 'usage', 'usage:' || l.request_id, coalesce(l.key, 'session'), l.operation || ' ' || l.model, l.at
		FROM unnest(log_request_id, log_at, log_key, log_operation, log_model, owed, wallets) AS l(request_id, at, key, operation, model, owed, wallet)
		WHERE l.owed > 0;
	END IF;

	IF has_rest THEN rest := books_sync(me, my_seq, false, '[]', own, ask)::jsonb; END IF;
	SELECT coalesce(jsonb_object_agg(account.id, jsonb_build_array(coalesce(lease.amount, 0)::text, account.free::text)), '{}') INTO states
	FROM unnest(part_accounts) AS p(id)
	CROSS JOIN LATERAL (SELECT accounts.id, accounts.free FROM accounts WHERE accounts.id = p.id OFFSET 0) AS account
	LEFT JOIN LATERAL (SELECT leases.amount FROM leases WHERE leases.instance = me AND leases.account_id = p.id OFFSET 0) AS lease ON true;
	IF has_rest THEN RETURN rest || jsonb_build_object('accounts', (rest -> 'accounts') || states); END IF;
	RETURN jsonb_build_object('accounts', states, 'refused', jsonb '{}', 'short', jsonb '{}', 'live', (
		SELECT count(*) FROM instances WHERE instances.state = 'live' AND instances.seen > clock_timestamp() - interval '30 seconds'
	));
END
$$;
