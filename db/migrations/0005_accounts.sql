-- Wallets and budgets are rows of one kind: what is free to take, beside what instances have on lease. Open holds lie in the memory
-- and the journal of their instance; what the table of holds had still set aside is free again.
DROP TABLE "holds";
--> statement-breakpoint
ALTER TABLE "wallets" RENAME TO "accounts";
--> statement-breakpoint
ALTER TABLE "accounts" RENAME CONSTRAINT "wallets_pkey" TO "accounts_pkey";
--> statement-breakpoint
ALTER TABLE "accounts" DROP CONSTRAINT "wallets_not_overdrawn";
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "kind" text DEFAULT 'wallet' NOT NULL, ADD COLUMN "free" bigint DEFAULT 0 NOT NULL,
	ADD COLUMN "limit" bigint, ADD COLUMN "of" text, ADD COLUMN "of_id" text,
	ADD COLUMN "from" timestamp with time zone, ADD COLUMN "until" timestamp with time zone;
--> statement-breakpoint
UPDATE "accounts" SET "free" = "balance" - coalesce((SELECT sum("amount") FROM "leases" WHERE "wallet_id" = "accounts"."id"), 0);
--> statement-breakpoint
ALTER TABLE "accounts" DROP COLUMN "balance", DROP COLUMN "held",
	ADD CONSTRAINT "accounts_not_overdrawn" CHECK ("accounts"."kind" = 'budget' or "accounts"."free" >= 0),
	ADD CONSTRAINT "accounts_budget_terms" CHECK (("accounts"."kind" = 'budget') = ("accounts"."limit" is not null and "accounts"."of" is not null and "accounts"."of_id" is not null));
--> statement-breakpoint
CREATE INDEX "accounts_budgets" ON "accounts" USING btree ("of_id","of") WHERE "accounts"."kind" = 'budget';
--> statement-breakpoint
ALTER TABLE "entries" RENAME CONSTRAINT "entries_wallet_id_wallets_id_fk" TO "entries_wallet_id_accounts_id_fk";
--> statement-breakpoint
ALTER TABLE "leases" RENAME COLUMN "wallet_id" TO "account_id";
--> statement-breakpoint
ALTER TABLE "leases" RENAME CONSTRAINT "leases_instance_wallet_id_pk" TO "leases_instance_account_id_pk";
--> statement-breakpoint
ALTER TABLE "leases" RENAME CONSTRAINT "leases_wallet_id_wallets_id_fk" TO "leases_account_id_accounts_id_fk";
--> statement-breakpoint
ALTER INDEX "leases_wallet" RENAME TO "leases_account";
--> statement-breakpoint
ALTER TABLE "leases" ADD COLUMN "held" bigint DEFAULT 0 NOT NULL, DROP CONSTRAINT "leases_not_negative";
--> statement-breakpoint
ALTER TABLE "leases" ADD CONSTRAINT "leases_not_negative" CHECK ("leases"."held" >= 0 and "leases"."amount" >= "leases"."held");
--> statement-breakpoint
DROP FUNCTION "books_sync"(bigint, bigint, boolean, jsonb, jsonb, jsonb);
--> statement-breakpoint
-- One call of an instance: settles lines, says what it holds, gives slices back, takes new ones. Locks the instance, then accounts
-- by id, then its own leases; each statement here sees what the locks before it waited for. Answers JSON, amounts as text.
--   lines  [{n, row: a row of logs, accounts, cost, covered}]: `covered` is what the instance's leases pay, each; the rest comes out
--          of what is free, in all of the accounts alike. The first account is the wallet.
--   own    [{account, back, held}]: goes back; is in open holds now
--   ask    [[{account, need, want, budget}]]: in each list every `need` or nothing, and up to `want` while enough stays for others;
--          `budget` ({limit, of, ofId, from, until}) makes the account when it is not there, and changes its limit
-- `replay` settles the lines of an earlier run, whose leases may be gone: then all of a cost comes out of what is free.
-- A column that is added to logs later must allow null, or be given here.
CREATE FUNCTION "books_sync"("me" bigint, "my_seq" bigint, "replay" boolean, "lines" jsonb, "own" jsonb, "ask" jsonb)
RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	fresh jsonb := '[]';
	fits boolean;
	to_lock text[];
	touched text[];
	live_now integer;
	each record;
	charge bigint;
	lacking text;
	refused jsonb := '{}';
	short jsonb := '{}';
BEGIN
	UPDATE instances SET seq = my_seq, seen = clock_timestamp()
	WHERE instances.id = me AND instances.seq < my_seq AND (instances.state = 'live' OR replay);
	IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'PF001'; END IF;

	-- A budget begins with what its usage rows say, so nobody may be writing any while they are summed up.
	IF EXISTS (
		SELECT FROM jsonb_array_elements(ask) AS list, jsonb_to_recordset(list) AS k(account text, budget jsonb)
		WHERE k.budget IS NOT NULL AND NOT EXISTS (SELECT FROM accounts WHERE accounts.id = k.account)
	) THEN
		PERFORM pg_advisory_xact_lock(727539265);
		PERFORM budgets_open(ask);
	ELSIF jsonb_array_length(lines) > 0 THEN
		PERFORM pg_advisory_xact_lock_shared(727539265);
	END IF;

	IF jsonb_array_length(lines) > 0 THEN
		-- `beside`: budgets that count this usage although it was not held there, for they came later.
		SELECT coalesce(jsonb_agg(to_jsonb(l) ORDER BY l.n), '[]') INTO fresh FROM (
			SELECT DISTINCT ON (l."row" ->> 'request_id') l.*, l."row" ->> 'request_id' AS request_id, ARRAY(
				SELECT accounts.id FROM accounts
				WHERE accounts.kind = 'budget' AND NOT accounts.id = ANY (l.accounts) AND l.cost > 0
					AND (accounts.of_id, accounts."of") IN ((l."row" ->> 'key_id', 'key'), (l."row" ->> 'user_id', 'user'), (l."row" ->> 'group', 'group'))
					AND (l."row" ->> 'at')::timestamptz >= coalesce(accounts."from", '-infinity')
					AND (l."row" ->> 'at')::timestamptz < coalesce(accounts.until, 'infinity')
			) AS beside
			FROM jsonb_to_recordset(lines) AS l(n integer, "row" jsonb, accounts text[], cost bigint, covered bigint)
			WHERE NOT EXISTS (
				SELECT FROM logs WHERE logs.at = (l."row" ->> 'at')::timestamptz AND logs.request_id = l."row" ->> 'request_id'
			)
			ORDER BY l."row" ->> 'request_id', l.n
		) AS l;
	END IF;

	-- Lines that the leases pay need nothing of the accounts themselves.
	SELECT NOT replay AND coalesce(bool_and(coalesce(leases.amount, 0) >= part.amount), true) INTO fits FROM (
		SELECT account, sum(l.covered) AS amount FROM jsonb_to_recordset(fresh) AS l(accounts text[], covered bigint), unnest(l.accounts) AS account
		GROUP BY account
	) AS part LEFT JOIN leases ON leases.instance = me AND leases.account_id = part.account;
	SELECT coalesce(array_agg(DISTINCT account), '{}') INTO to_lock FROM (
		SELECT unnest(l.accounts || l.beside) AS account FROM jsonb_to_recordset(fresh) AS l(accounts text[], beside text[], cost bigint, covered bigint)
		WHERE NOT fits OR l.covered < l.cost OR l.beside <> '{}'
		UNION ALL SELECT o.account FROM jsonb_to_recordset(own) AS o(account text, back bigint) WHERE o.back > 0
		UNION ALL SELECT k.account FROM jsonb_array_elements(ask) AS list, jsonb_to_recordset(list) AS k(account text)
	) AS part;
	PERFORM 1 FROM accounts WHERE accounts.id = ANY (to_lock) ORDER BY accounts.id FOR NO KEY UPDATE;

	IF fresh <> '[]' THEN
		WITH line AS (
			SELECT l.* FROM jsonb_to_recordset(fresh) AS l(request_id text, "row" jsonb, accounts text[], beside text[], cost bigint, covered bigint)
			WHERE fits AND l.covered = l.cost AND l.beside = '{}'
		), logged AS (
			INSERT INTO logs SELECT r.* FROM line, jsonb_populate_record(null::logs, line."row" || jsonb_build_object('charged', line.cost)) AS r
			ON CONFLICT DO NOTHING RETURNING request_id
		), done AS (
			SELECT line.* FROM line JOIN logged ON logged.request_id = line.request_id
		), entered AS (
			INSERT INTO entries (wallet_id, amount, kind, ref, actor, reason, at)
			SELECT done.accounts[1], -done.cost, 'usage', 'usage:' || done.request_id, coalesce(done."row" ->> 'key', 'session'),
				(done."row" ->> 'operation') || ' ' || (done."row" ->> 'model'), (done."row" ->> 'at')::timestamptz
			FROM done WHERE done.cost > 0
		), paid AS (
			SELECT account, sum(done.cost) AS amount FROM done, unnest(done.accounts) AS account GROUP BY account
		)
		UPDATE leases SET amount = leases.amount - paid.amount, held = least(leases.held, leases.amount - paid.amount)
		FROM paid WHERE leases.instance = me AND leases.account_id = paid.account;

		FOR each IN
			SELECT l.* FROM jsonb_to_recordset(fresh)
				AS l(n integer, request_id text, "row" jsonb, accounts text[], beside text[], cost bigint, covered bigint)
			WHERE NOT fits OR l.covered < l.cost OR l.beside <> '{}' ORDER BY l.n
		LOOP
			SELECT least(each.cost, coalesce(min(least(each.covered, coalesce(leases.amount, 0)) + greatest(accounts.free, 0)), 0)) INTO charge
			FROM accounts LEFT JOIN leases ON leases.instance = me AND leases.account_id = accounts.id WHERE accounts.id = ANY (each.accounts);
			INSERT INTO logs SELECT r.* FROM jsonb_populate_record(null::logs, each."row" || jsonb_build_object('charged', charge)) AS r
			ON CONFLICT DO NOTHING;
			CONTINUE WHEN NOT FOUND;
			INSERT INTO entries (wallet_id, amount, kind, ref, actor, reason, at)
			SELECT each.accounts[1], -charge, 'usage', 'usage:' || each.request_id, coalesce(each."row" ->> 'key', 'session'),
				(each."row" ->> 'operation') || ' ' || (each."row" ->> 'model'), (each."row" ->> 'at')::timestamptz
			WHERE charge > 0;
			WITH part AS (
				SELECT accounts.id, least(charge, each.covered, coalesce(leases.amount, 0)) AS leased
				FROM accounts LEFT JOIN leases ON leases.instance = me AND leases.account_id = accounts.id WHERE accounts.id = ANY (each.accounts)
			), spent AS (
				UPDATE leases SET amount = leases.amount - part.leased, held = least(leases.held, leases.amount - part.leased)
				FROM part WHERE leases.instance = me AND leases.account_id = part.id
			)
			UPDATE accounts SET free = accounts.free - (charge - part.leased) FROM part WHERE accounts.id = part.id AND charge > part.leased;
			UPDATE accounts SET free = accounts.free - charge WHERE accounts.id = ANY (each.beside);
			IF charge < each.cost THEN short := short || jsonb_build_object(each.request_id, charge::text); END IF;
		END LOOP;
	END IF;

	IF jsonb_array_length(own) > 0 THEN
		WITH said AS (
			UPDATE leases SET amount = leases.amount - o.back, held = greatest(0, least(o.held, leases.amount - o.back))
			FROM jsonb_to_recordset(own) AS o(account text, back bigint, held bigint)
			WHERE leases.instance = me AND leases.account_id = o.account RETURNING leases.account_id, o.back
		)
		UPDATE accounts SET free = accounts.free + said.back FROM said WHERE accounts.id = said.account_id AND said.back > 0;
		DELETE FROM leases WHERE leases.instance = me AND leases.amount = 0
			AND leases.account_id IN (SELECT o.account FROM jsonb_to_recordset(own) AS o(account text, back bigint) WHERE o.back > 0);
	END IF;

	SELECT count(*) INTO live_now FROM instances WHERE instances.state = 'live' AND instances.seen > clock_timestamp() - interval '30 seconds';

	IF jsonb_array_length(ask) > 0 THEN
		UPDATE accounts SET free = accounts.free + (k.budget ->> 'limit')::bigint - accounts."limit", "limit" = (k.budget ->> 'limit')::bigint
		FROM jsonb_array_elements(ask) AS list, jsonb_to_recordset(list) AS k(account text, budget jsonb)
		WHERE accounts.id = k.account AND accounts.kind = 'budget' AND accounts."limit" <> (k.budget ->> 'limit')::bigint;
		FOR each IN SELECT l.list, l.n - 1 AS n FROM jsonb_array_elements(ask) WITH ORDINALITY AS l(list, n) LOOP
			SELECT k.account INTO lacking FROM jsonb_to_recordset(each.list) AS k(account text, need bigint)
			LEFT JOIN accounts ON accounts.id = k.account WHERE coalesce(accounts.free, -1) < k.need LIMIT 1;
			IF FOUND THEN
				refused := refused || jsonb_build_object(each.n, lacking);
				CONTINUE;
			END IF;
			WITH part AS (
				SELECT k.account, greatest(k.need, least(k.want, accounts.free / (2 * greatest(live_now, 1)))) AS amount
				FROM jsonb_to_recordset(each.list) AS k(account text, need bigint, want bigint) JOIN accounts ON accounts.id = k.account
			), taken AS (
				UPDATE accounts SET free = accounts.free - part.amount FROM part WHERE accounts.id = part.account AND part.amount > 0
				RETURNING accounts.id, part.amount
			)
			INSERT INTO leases (instance, account_id, amount) SELECT me, taken.id, taken.amount FROM taken
			ON CONFLICT (instance, account_id) DO UPDATE SET amount = leases.amount + excluded.amount;
		END LOOP;
	END IF;

	SELECT array_agg(DISTINCT account) INTO touched FROM (
		SELECT unnest(to_lock) AS account UNION ALL
		SELECT unnest(l.accounts) FROM jsonb_to_recordset(lines) AS l(accounts text[]) UNION ALL
		SELECT o.account FROM jsonb_to_recordset(own) AS o(account text)
	) AS part;
	RETURN jsonb_build_object('live', live_now, 'refused', refused, 'short', short, 'accounts', (
		SELECT coalesce(jsonb_object_agg(accounts.id, jsonb_build_array(coalesce(leases.amount, 0)::text, accounts.free::text)), '{}')
		FROM accounts LEFT JOIN leases ON leases.instance = me AND leases.account_id = accounts.id WHERE accounts.id = ANY (touched)
	))::text;
END
$$;
--> statement-breakpoint
-- The budgets among what is asked for that are not there yet: each begins with what is left of its limit by the usage rows.
CREATE FUNCTION "budgets_open"("ask" jsonb) RETURNS void LANGUAGE sql AS $$
	INSERT INTO accounts (id, kind, free, "limit", "of", of_id, "from", until)
	SELECT b.account, 'budget', b."limit" - coalesce(CASE b."of"
		WHEN 'key' THEN (SELECT sum(logs.charged) FROM logs WHERE logs.key_id = b."ofId" AND logs.at >= b.since AND logs.at < b.till)
		WHEN 'user' THEN (SELECT sum(logs.charged) FROM logs WHERE logs.user_id = b."ofId" AND logs.at >= b.since AND logs.at < b.till)
		WHEN 'group' THEN (SELECT sum(logs.charged) FROM logs WHERE logs."group" = b."ofId" AND logs.at >= b.since AND logs.at < b.till)
	END, 0), b."limit", b."of", b."ofId", b."from", b.until
	FROM (
		SELECT DISTINCT ON (k.account) k.account, t.*, coalesce(t."from", '-infinity') AS since, coalesce(t.until, 'infinity') AS till
		FROM jsonb_array_elements(ask) AS list, jsonb_to_recordset(list) AS k(account text, budget jsonb),
			jsonb_to_record(k.budget) AS t("limit" bigint, "of" text, "ofId" text, "from" timestamptz, until timestamptz)
		WHERE k.budget IS NOT NULL
		ORDER BY k.account
	) AS b
	ON CONFLICT DO NOTHING
$$;
