-- The usual call of an instance: its leases pay every line in full, none is known yet, and no budget counts it that did not hold it.
-- Rows come as one array for each column, so that a row costs nothing but itself. What is unusual is refused as PF002, nothing done:
-- then `books_sync` is asked, which knows every case. A column that is added to logs later must allow null, or be given here.
--   log_...   a column of logs; of those that are JSON, the texts of all rows with U+001F between them, where an empty text is null.
--             An array that is too short is null from there on.
--   owed      what each line costs its accounts
--   payers    lists of accounts, the wallet first; payer_of: the place of each line's in it, -1 for none
--   parts     what the lines cost each account together, and what is in open holds of it now, or null; part_lines: how many of the
--             lines cost it anything
--   owners    keys, users and groups of lines that cost anything, and how many; those lines lie between since and till
--   own, ask  as for `books_sync`
-- Plans are made once and look up every row by its key: without statistics a small table is read as a whole, however large it grows.
CREATE FUNCTION "books_sync_rows"(
	"me" bigint, "my_seq" bigint, "heard" bigint,
	"log_request_id" text[], "log_at" timestamptz[], "log_user_id" text[], "log_key_id" text[], "log_key" text[],
	"log_group" text[], "log_model" text[], "log_upstream_model" text[], "log_channel" text[], "log_operation" text[],
	"log_dialect" text[], "log_stream" boolean[], "log_status" integer[], "log_end" text[], "log_error" text, "log_usage" text,
	"log_provenance" text[], "log_cost" bigint[], "log_price" text, "log_losses" text, "log_first_token_ms" integer[],
	"log_total_ms" integer[], "log_attempts" text, "log_upstream_cost" bigint[], "log_upstream_price" text, "log_lines" text,
	"owed" bigint[], "payers" jsonb, "payer_of" integer[],
	"part_accounts" text[], "part_amounts" bigint[], "part_helds" bigint[], "part_lines" integer[],
	"owner_ofs" text[], "owner_ids" text[], "owner_lines" integer[], "since" timestamptz, "till" timestamptz,
	"own" jsonb, "ask" jsonb
) RETURNS text LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
	has_rest boolean := own <> '[]' OR ask <> '[]';
	rest jsonb;
	states jsonb;
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
			SELECT FROM unnest(part_accounts, part_amounts) AS p(account, amount)
			WHERE p.amount > 0 AND NOT EXISTS (
				SELECT FROM leases WHERE leases.instance = me AND leases.account_id = p.account AND leases.amount >= p.amount
			)
		) OR EXISTS (
			SELECT FROM unnest(owner_ofs, owner_ids, owner_lines) AS o("of", id, lines)
			JOIN accounts ON accounts.kind = 'budget' AND accounts.of_id = o.id AND accounts."of" = o."of"
			LEFT JOIN unnest(part_accounts, part_lines) AS p(account, lines) ON p.account = accounts.id
			WHERE coalesce(p.lines, 0) < o.lines AND till >= coalesce(accounts."from", '-infinity') AND since < coalesce(accounts.until, 'infinity')
		) OR EXISTS (
			SELECT FROM unnest(log_request_id, log_at) AS l(request_id, at)
			WHERE EXISTS (SELECT FROM logs WHERE logs.at = l.at AND logs.request_id = l.request_id)
		) THEN RAISE EXCEPTION 'unusual' USING ERRCODE = 'PF002'; END IF;

		INSERT INTO logs ("request_id", "at", "user_id", "key_id", "key", "group", "model", "upstream_model", "channel", "operation", "dialect",
			"stream", "status", "end", "error", "usage", "provenance", "cost", "price", "losses", "first_token_ms", "total_ms",
			"attempts", "upstream_cost", "upstream_price", "lines", charged)
		SELECT l."request_id", l."at", l."user_id", l."key_id", l."key", l."group", l."model", l."upstream_model", l."channel",
			l."operation", l."dialect", l."stream", l."status", l."end", l."error"::jsonb, l."usage"::jsonb, l."provenance",
			l."cost", l."price"::jsonb, l."losses"::jsonb, l."first_token_ms", l."total_ms", l."attempts"::jsonb,
			l."upstream_cost", l."upstream_price"::jsonb, l."lines"::jsonb, l.owed
		FROM unnest(
			log_request_id, log_at, log_user_id, log_key_id, log_key, log_group, log_model, log_upstream_model, log_channel,
			log_operation, log_dialect, log_stream, log_status, log_end, string_to_array(log_error, E'\x1f', ''),
			string_to_array(log_usage, E'\x1f', ''), log_provenance, log_cost, string_to_array(log_price, E'\x1f', ''),
			string_to_array(log_losses, E'\x1f', ''), log_first_token_ms, log_total_ms, string_to_array(log_attempts, E'\x1f', ''),
			log_upstream_cost, string_to_array(log_upstream_price, E'\x1f', ''), string_to_array(log_lines, E'\x1f', ''),
			owed
		) AS l("request_id", "at", "user_id", "key_id", "key", "group", "model", "upstream_model", "channel", "operation", "dialect",
			"stream", "status", "end", "error", "usage", "provenance", "cost", "price", "losses", "first_token_ms", "total_ms",
			"attempts", "upstream_cost", "upstream_price", "lines", owed);

		INSERT INTO entries (wallet_id, amount, kind, ref, actor, reason, at)
		SELECT payers -> l.payer ->> 0, -l.owed, 'usage', 'usage:' || l.request_id, coalesce(l.key, 'session'), l.operation || ' ' || l.model, l.at
		FROM unnest(log_request_id, log_at, log_key, log_operation, log_model, owed, payer_of) AS l(request_id, at, key, operation, model, owed, payer)
		WHERE l.owed > 0;
	END IF;

	UPDATE leases SET amount = leases.amount - p.amount, held = CASE
		WHEN p.held IS NULL THEN least(leases.held, leases.amount - p.amount) ELSE greatest(0, least(p.held, leases.amount - p.amount))
	END FROM unnest(part_accounts, part_amounts, part_helds) AS p(account, amount, held)
	WHERE leases.instance = me AND leases.account_id = p.account AND (p.amount > 0 OR p.held IS NOT NULL);

	IF has_rest THEN rest := books_sync(me, my_seq, false, '[]', own, ask)::jsonb; END IF;
	SELECT coalesce(jsonb_object_agg(accounts.id, jsonb_build_array(coalesce(leases.amount, 0)::text, accounts.free::text)), '{}') INTO states
	FROM unnest(part_accounts) AS p(account) JOIN accounts ON accounts.id = p.account
	LEFT JOIN leases ON leases.instance = me AND leases.account_id = accounts.id;
	IF has_rest THEN RETURN rest || jsonb_build_object('accounts', (rest -> 'accounts') || states); END IF;
	RETURN jsonb_build_object('accounts', states, 'refused', jsonb '{}', 'short', jsonb '{}', 'live', (
		SELECT count(*) FROM instances WHERE instances.state = 'live' AND instances.seen > clock_timestamp() - interval '30 seconds'
	));
END
$$;
--> statement-breakpoint
ALTER FUNCTION "books_sync"(bigint, bigint, boolean, jsonb, jsonb, jsonb)
	SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off;
