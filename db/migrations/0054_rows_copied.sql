-- What a call of `books_sync_lines` does besides writing rows, in a function of its own, for an engine to which rows come by COPY.
-- `row_count`: how many rows follow in the same transaction.
CREATE FUNCTION "books_sync_parts"(
	"me" bigint, "my_seq" bigint, "heard" bigint, "row_count" integer,
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

	IF row_count > 0 THEN
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
--> statement-breakpoint
-- As before, for PostgreSQL: the same call with the rows as arrays.
CREATE OR REPLACE FUNCTION "books_sync_lines"(
	"me" bigint, "my_seq" bigint, "heard" bigint,
	"log_request_id" text[], "log_at" timestamptz[], "log_user_id" text[], "log_key_id" text[], "log_key" text[],
	"log_group" text[], "log_model" text[], "log_upstream_model" text[], "log_channel" text[], "log_operation" text[],
	"log_dialect" text[], "log_stream" boolean[], "log_status" integer[], "log_end" text[], "log_error" text,
	"log_provenance" text[], "log_cost" bigint[], "log_losses" text, "log_first_token_ms" integer[],
	"log_total_ms" integer[], "log_upstream_cost" bigint[], "log_lines" text, "log_detail" text, "log_figures" text, "log_member_id" text[],
	"owed" bigint[], "wallets" text[],
	"part_accounts" text[], "part_amounts" bigint[], "part_helds" bigint[], "part_lines" integer[],
	"owner_ofs" text[], "owner_ids" text[], "owner_lines" integer[], "since" timestamptz, "till" timestamptz,
	"own" jsonb, "ask" jsonb
) RETURNS text LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET join_collapse_limit = 1 SET jit = off AS $$
#variable_conflict use_column
DECLARE
	answer text := books_sync_parts(me, my_seq, heard, cardinality(log_request_id), part_accounts, part_amounts, part_helds, part_lines,
		owner_ofs, owner_ids, owner_lines, since, till, own, ask);
BEGIN
	IF cardinality(log_request_id) > 0 THEN
		INSERT INTO logs ("request_id", "at", "user_id", "key_id", "key", "group", "model", "upstream_model", "channel", "operation", "dialect",
			"stream", "status", "end", "error", "provenance", "cost", "losses", "first_token_ms", "total_ms",
			"upstream_cost", "lines", "detail", "figures", "member_id", charged)
		SELECT l."request_id", l."at", l."user_id", l."key_id", l."key", l."group", l."model", l."upstream_model", l."channel",
			l."operation", l."dialect", l."stream", l."status", l."end", l."error"::jsonb, l."provenance",
			l."cost", coalesce(l."losses"::jsonb, '[]'), l."first_token_ms", l."total_ms",
			l."upstream_cost", l."lines"::jsonb, l."detail", l."figures"::numeric[], l."member_id", l.owed
		FROM unnest(
			log_request_id, log_at, log_user_id, log_key_id, log_key, log_group, log_model, log_upstream_model, log_channel,
			log_operation, log_dialect, log_stream, log_status, log_end, string_to_array(log_error, E'\x1f', ''),
			log_provenance, log_cost, string_to_array(log_losses, E'\x1f', ''), log_first_token_ms, log_total_ms,
			log_upstream_cost, string_to_array(log_lines, E'\x1f', ''), string_to_array(log_detail, E'\x1f', ''),
			string_to_array(log_figures, E'\x1f', ''), log_member_id, owed
		) AS l("request_id", "at", "user_id", "key_id", "key", "group", "model", "upstream_model", "channel", "operation", "dialect",
			"stream", "status", "end", "error", "provenance", "cost", "losses", "first_token_ms", "total_ms",
			"upstream_cost", "lines", "detail", "figures", "member_id", owed);

		INSERT INTO entries (wallet_id, amount, kind, ref, actor, reason, at)
		SELECT l.wallet, -l.owed, 'usage', 'usage:' || l.request_id, coalesce(l.key, 'session'), l.operation || ' ' || l.model, l.at
		FROM unnest(log_request_id, log_at, log_key, log_operation, log_model, owed, wallets) AS l(request_id, at, key, operation, model, owed, wallet)
		WHERE l.owed > 0;
	END IF;
	RETURN answer;
END
$$;
--> statement-breakpoint
-- After and no longer before each row: where a table has a trigger before rows, COPY writes them one by one.
DROP TRIGGER "entries_have_wallets" ON "entries";
--> statement-breakpoint
CREATE TRIGGER "entries_have_wallets" AFTER INSERT ON "entries"
	FOR EACH ROW WHEN (NEW."kind" <> 'usage') EXECUTE FUNCTION "entries_have_wallets"();
