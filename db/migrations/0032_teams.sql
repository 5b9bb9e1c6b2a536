-- Teams pay like users do: in rows, sums and budgets the `user_id` of what a team pays is the team's. What a member's cap counts is found by
-- that and the new column, so no index is added to large tables, and nothing is rewritten.
CREATE TABLE "team_members" (
	"id" text PRIMARY KEY NOT NULL,
	"team_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"budget" jsonb,
	"by_claim" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "teams" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"group" text DEFAULT 'default' NOT NULL,
	"groups" text[] NOT NULL,
	"models" text[],
	"budget" jsonb,
	"limits" jsonb,
	"claim" text,
	"enabled" boolean DEFAULT true NOT NULL,
	"managed" text DEFAULT 'console' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "teams_name_unique" UNIQUE("name")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "team_id" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "maker_id" text;--> statement-breakpoint
ALTER TABLE "logs" ADD COLUMN "member_id" text;--> statement-breakpoint
ALTER TABLE "usage_hours" ADD COLUMN "member_id" text;--> statement-breakpoint
ALTER TABLE "usage_parts" ADD COLUMN "member_id" text;--> statement-breakpoint
ALTER TABLE "usage_rollups" ADD COLUMN "member_id" text;--> statement-breakpoint
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "team_members_team" ON "team_members" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "team_members_user" ON "team_members" USING btree ("user_id");--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_team" ON "api_keys" USING btree ("team_id");
--> statement-breakpoint
-- As before, and what members of teams spend counts for their caps: here, in `books_correct`, `budgets_open` and `usage_charged`.
CREATE OR REPLACE FUNCTION "books_sync"("me" bigint, "my_seq" bigint, "replay" boolean, "lines" jsonb, "own" jsonb, "ask" jsonb)
RETURNS text LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET join_collapse_limit = 1 SET jit = off AS $$
#variable_conflict use_column
DECLARE
	fresh jsonb := '[]';
	fits boolean;
	to_lock text[];
	touched text[];
	live_now integer;
	each record;
	charge bigint;
	refused jsonb := '{}';
	short jsonb := '{}';
	-- What is asked for, one element for each part: its list, its account and the place of that among all of them, and the amounts.
	part_lists integer[];
	part_accounts text[] := '{}';
	part_places integer[];
	part_needs bigint[];
	part_wants bigint[];
	part_limits bigint[];
	-- Each of those accounts once, with what it has free and what is taken of it.
	ids text[];
	frees bigint[];
	given bigint[];
	amount bigint;
	place integer;
	first integer := 1;
	beyond integer;
	lacking integer;
	own_accounts text[];
	own_backs bigint[];
	own_helds bigint[];
	states jsonb;
BEGIN
	UPDATE instances SET seq = my_seq, seen = clock_timestamp()
	WHERE instances.id = me AND instances.seq < my_seq AND (instances.state = 'live' OR replay);
	IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'PF001'; END IF;

	IF ask <> '[]' THEN
		SELECT array_agg(p.list ORDER BY p.n), array_agg(p.account ORDER BY p.n), array_agg(p.place ORDER BY p.n),
			array_agg(p.need ORDER BY p.n), array_agg(p.want ORDER BY p.n), array_agg(p."limit" ORDER BY p.n)
		INTO part_lists, part_accounts, part_places, part_needs, part_wants, part_limits FROM (
			SELECT row_number() OVER () AS n, (l.list_number - 1)::integer AS list, k.account, k.need, k.want, (k.budget ->> 'limit')::bigint AS "limit",
				dense_rank() OVER (ORDER BY k.account)::integer AS place
			FROM jsonb_array_elements(ask) WITH ORDINALITY AS l(list, list_number),
				jsonb_to_recordset(l.list) AS k(account text, need bigint, want bigint, budget jsonb)
		) AS p;
		part_accounts := coalesce(part_accounts, '{}');
	END IF;
	IF own <> '[]' THEN
		SELECT array_agg(o.account), array_agg(coalesce(o.back, 0)), array_agg(o.held) INTO own_accounts, own_backs, own_helds
		FROM jsonb_to_recordset(own) AS o(account text, back bigint, held bigint);
	END IF;

	-- A budget begins with what its usage rows say, so nobody may be writing any while they are summed up.
	IF EXISTS (
		SELECT FROM unnest(part_accounts, part_limits) AS p(account, "limit")
		WHERE p."limit" IS NOT NULL AND NOT EXISTS (SELECT FROM accounts WHERE accounts.id = p.account)
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
				SELECT budget.id FROM (VALUES (l."row" ->> 'key_id', 'key'), (l."row" ->> 'user_id', 'user'), (l."row" ->> 'group', 'group'), (l."row" ->> 'member_id', 'member')) AS o(id, "of"),
				LATERAL (
					SELECT accounts.id, accounts."from", accounts.until FROM accounts
					WHERE accounts.kind = 'budget' AND accounts.of_id = o.id AND accounts."of" = o."of" OFFSET 0
				) AS budget
				WHERE l.cost > 0 AND NOT budget.id = ANY (l.accounts)
					AND (l."row" ->> 'at')::timestamptz >= coalesce(budget."from", '-infinity')
					AND (l."row" ->> 'at')::timestamptz < coalesce(budget.until, 'infinity')
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
		UNION ALL SELECT o.account FROM unnest(own_accounts, own_backs) AS o(account, back) WHERE o.back > 0
		UNION ALL SELECT p.account FROM unnest(part_accounts) AS p(account)
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

	IF own <> '[]' THEN
		WITH said AS (
			UPDATE leases SET amount = leases.amount - o.back, held = greatest(0, least(o.held, leases.amount - o.back)) FROM (
				SELECT o.*, lease.place FROM unnest(own_accounts, own_backs, own_helds) AS o(account, back, held), LATERAL (
					SELECT leases.ctid AS place FROM leases WHERE leases.instance = me AND leases.account_id = o.account OFFSET 0
				) AS lease
			) AS o WHERE leases.ctid = o.place RETURNING leases.account_id, o.back
		), found AS MATERIALIZED (
			SELECT said.back, account.place FROM said, LATERAL (
				SELECT accounts.ctid AS place FROM accounts WHERE accounts.id = said.account_id OFFSET 0
			) AS account WHERE said.back > 0
		)
		UPDATE accounts SET free = accounts.free + found.back FROM found WHERE accounts.ctid = found.place;
		DELETE FROM leases USING (
			SELECT lease.place FROM unnest(own_accounts, own_backs) AS o(account, back), LATERAL (
				SELECT leases.ctid AS place FROM leases WHERE leases.instance = me AND leases.account_id = o.account AND leases.amount = 0 OFFSET 0
			) AS lease WHERE o.back > 0
		) AS spent WHERE leases.ctid = spent.place;
	END IF;

	SELECT count(*) INTO live_now FROM instances WHERE instances.state = 'live' AND instances.seen > clock_timestamp() - interval '30 seconds';

	IF cardinality(part_accounts) > 0 THEN
		UPDATE accounts SET free = accounts.free + p."limit" - accounts."limit", "limit" = p."limit" FROM (
			SELECT p."limit", account.place FROM unnest(part_accounts, part_limits) AS p(account, "limit"), LATERAL (
				SELECT accounts.ctid AS place, accounts."limit" FROM accounts WHERE accounts.id = p.account OFFSET 0
			) AS account WHERE account."limit" <> p."limit"
		) AS p WHERE accounts.ctid = p.place;
		SELECT array_agg(p.account ORDER BY p.account), array_agg(coalesce(account.free, -1) ORDER BY p.account), array_agg(0::bigint)
		INTO ids, frees, given
		FROM (SELECT DISTINCT p.account FROM unnest(part_accounts) AS p(account)) AS p
		LEFT JOIN LATERAL (SELECT accounts.free FROM accounts WHERE accounts.id = p.account OFFSET 0) AS account ON true;

		WHILE first <= cardinality(part_lists) LOOP
			beyond := first;
			lacking := 0;
			WHILE part_lists[beyond] = part_lists[first] LOOP
				IF lacking = 0 AND frees[part_places[beyond]] < part_needs[beyond] THEN lacking := beyond; END IF;
				beyond := beyond + 1;
			END LOOP;
			IF lacking > 0 THEN
				refused := refused || jsonb_build_object(part_lists[first], part_accounts[lacking]);
			ELSE
				FOR n IN first .. beyond - 1 LOOP
					place := part_places[n];
					amount := greatest(part_needs[n], least(part_wants[n], frees[place] / (2 * greatest(live_now, 1))));
					frees[place] := frees[place] - amount;
					given[place] := given[place] + amount;
				END LOOP;
			END IF;
			first := beyond;
		END LOOP;

		WITH taken AS (
			UPDATE accounts SET free = accounts.free - t.amount FROM (
				SELECT t.amount, account.place FROM unnest(ids, given) AS t(id, amount), LATERAL (
					SELECT accounts.ctid AS place FROM accounts WHERE accounts.id = t.id OFFSET 0
				) AS account WHERE t.amount > 0
			) AS t WHERE accounts.ctid = t.place RETURNING accounts.id, t.amount
		)
		INSERT INTO leases (instance, account_id, amount) SELECT me, taken.id, taken.amount FROM taken
		ON CONFLICT (instance, account_id) DO UPDATE SET amount = leases.amount + excluded.amount;
	END IF;

	SELECT coalesce(jsonb_object_agg(account.id, jsonb_build_array(coalesce(lease.amount, 0)::text, account.free::text)), '{}') INTO states
	FROM (
		SELECT unnest(to_lock) AS id UNION SELECT unnest(own_accounts) UNION
		SELECT unnest(l.accounts) FROM jsonb_to_recordset(lines) AS l(accounts text[])
	) AS t
	CROSS JOIN LATERAL (SELECT accounts.id, accounts.free FROM accounts WHERE accounts.id = t.id OFFSET 0) AS account
	LEFT JOIN LATERAL (SELECT leases.amount FROM leases WHERE leases.instance = me AND leases.account_id = t.id OFFSET 0) AS lease ON true;
	RETURN jsonb_build_object('live', live_now, 'refused', refused, 'short', short, 'accounts', states)::text;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "books_correct"("lines" jsonb) RETURNS void LANGUAGE plpgsql
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
			AND (accounts.of_id, accounts."of") IN ((each."row" ->> 'key_id', 'key'), (each."row" ->> 'user_id', 'user'), (each."row" ->> 'group', 'group'), (each."row" ->> 'member_id', 'member'))
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
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "budgets_open"("ask" jsonb) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET join_collapse_limit = 1 SET jit = off AS $$
#variable_conflict use_column
BEGIN
	WITH begun AS MATERIALIZED (
		SELECT DISTINCT ON (k.account) k.account, t.*, coalesce(t."from", '-infinity') AS since, coalesce(t.until, 'infinity') AS till
		FROM jsonb_array_elements(ask) AS list, jsonb_to_recordset(list) AS k(account text, budget jsonb),
			jsonb_to_record(k.budget) AS t("limit" bigint, "of" text, "ofId" text, "from" timestamptz, until timestamptz)
		WHERE k.budget IS NOT NULL AND NOT EXISTS (SELECT FROM accounts WHERE accounts.id = k.account)
		ORDER BY k.account
	), kept AS MATERIALIZED (
		SELECT coalesce((SELECT (value #>> '{}')::timestamptz FROM settings WHERE name = 'usageRowsKeptFrom'), '-infinity') AS since
	), marked AS MATERIALIZED (
		SELECT DISTINCT "hour" FROM usage_marks
		WHERE "hour" > (SELECT min(begun.since) FROM begun) - interval '1 hour' AND "hour" < (SELECT max(begun.till) FROM begun)
	)
	INSERT INTO accounts (id, kind, free, "limit", "of", of_id, "from", until)
	SELECT b.account, 'budget', b."limit" - coalesce(CASE b."of"
		WHEN 'key' THEN (
			SELECT sum(usage_hours.charged) FROM usage_hours WHERE usage_hours.key_id = b."ofId" AND usage_hours."hour" >= b.since AND usage_hours."hour" < b.till
				AND (usage_hours."hour" < (SELECT kept.since FROM kept)
					OR usage_hours."hour" + interval '1 hour' <= b.till AND usage_hours."hour" NOT IN (SELECT marked."hour" FROM marked))
		)
		WHEN 'user' THEN (
			SELECT sum(usage_hours.charged) FROM usage_hours WHERE usage_hours.user_id = b."ofId" AND usage_hours."hour" >= b.since AND usage_hours."hour" < b.till
				AND (usage_hours."hour" < (SELECT kept.since FROM kept)
					OR usage_hours."hour" + interval '1 hour' <= b.till AND usage_hours."hour" NOT IN (SELECT marked."hour" FROM marked))
		)
		WHEN 'group' THEN (
			SELECT sum(usage_hours.charged) FROM usage_hours WHERE usage_hours."group" = b."ofId" AND usage_hours."hour" >= b.since AND usage_hours."hour" < b.till
				AND (usage_hours."hour" < (SELECT kept.since FROM kept)
					OR usage_hours."hour" + interval '1 hour' <= b.till AND usage_hours."hour" NOT IN (SELECT marked."hour" FROM marked))
		)
		WHEN 'member' THEN (
			SELECT sum(usage_hours.charged) FROM usage_hours WHERE usage_hours.user_id = split_part(b."ofId", '.', 1) AND usage_hours.member_id = b."ofId" AND usage_hours."hour" >= b.since AND usage_hours."hour" < b.till
				AND (usage_hours."hour" < (SELECT kept.since FROM kept)
					OR usage_hours."hour" + interval '1 hour' <= b.till AND usage_hours."hour" NOT IN (SELECT marked."hour" FROM marked))
		)
	END, 0) - coalesce((
		SELECT sum(CASE b."of"
			WHEN 'key' THEN (
				SELECT sum(logs.charged) FROM logs WHERE logs.key_id = b."ofId"
					AND logs.at >= greatest(apart."hour", b.since) AND logs.at < least(apart."hour" + interval '1 hour', b.till)
			)
			WHEN 'user' THEN (
				SELECT sum(logs.charged) FROM logs WHERE logs.user_id = b."ofId"
					AND logs.at >= greatest(apart."hour", b.since) AND logs.at < least(apart."hour" + interval '1 hour', b.till)
			)
			WHEN 'group' THEN (
				SELECT sum(logs.charged) FROM logs WHERE logs."group" = b."ofId"
					AND logs.at >= greatest(apart."hour", b.since) AND logs.at < least(apart."hour" + interval '1 hour', b.till)
			)
			WHEN 'member' THEN (
				SELECT sum(logs.charged) FROM logs WHERE logs.user_id = split_part(b."ofId", '.', 1) AND logs.member_id = b."ofId"
					AND logs.at >= greatest(apart."hour", b.since) AND logs.at < least(apart."hour" + interval '1 hour', b.till)
			)
		END) FROM (
			SELECT marked."hour" FROM marked WHERE marked."hour" > b.since - interval '1 hour' AND marked."hour" < b.till
			UNION SELECT date_trunc('hour', edge, 'UTC') FROM unnest(ARRAY[b.since, b.till]) AS edge WHERE edge <> date_trunc('hour', edge, 'UTC')
		) AS apart
	), 0), b."limit", b."of", b."ofId", b."from", b.until
	FROM begun AS b
	ON CONFLICT DO NOTHING;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "usage_charged"("owner" text, "id" text, "since" timestamp with time zone, "till" timestamp with time zone)
RETURNS bigint LANGUAGE plpgsql
SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
	found bigint;
BEGIN
	CASE $1
	WHEN 'key_id' THEN
		WITH kept AS MATERIALIZED (
			SELECT coalesce((SELECT (value #>> '{}')::timestamptz FROM settings WHERE name = 'usageRowsKeptFrom'), '-infinity') AS since
		), apart AS MATERIALIZED (
			SELECT "hour" FROM usage_marks WHERE "hour" > $3 - interval '1 hour' AND "hour" < $4
			UNION SELECT date_trunc('hour', edge, 'UTC') FROM unnest(ARRAY[$3, $4]) AS edge WHERE edge <> date_trunc('hour', edge, 'UTC')
		)
		SELECT coalesce((
			SELECT sum(charged) FROM usage_hours, kept
			WHERE key_id = $2 AND "hour" >= $3 AND "hour" < $4 AND ("hour" < kept.since OR "hour" NOT IN (SELECT "hour" FROM apart))
		), 0) + coalesce((
			SELECT sum(part.charged) FROM apart, LATERAL (
				SELECT sum(charged) AS charged FROM logs
				WHERE key_id = $2 AND at >= greatest(apart."hour", $3) AND at < least(apart."hour" + interval '1 hour', $4)
			) AS part
		), 0) INTO found;
	WHEN 'user_id' THEN
		WITH kept AS MATERIALIZED (
			SELECT coalesce((SELECT (value #>> '{}')::timestamptz FROM settings WHERE name = 'usageRowsKeptFrom'), '-infinity') AS since
		), apart AS MATERIALIZED (
			SELECT "hour" FROM usage_marks WHERE "hour" > $3 - interval '1 hour' AND "hour" < $4
			UNION SELECT date_trunc('hour', edge, 'UTC') FROM unnest(ARRAY[$3, $4]) AS edge WHERE edge <> date_trunc('hour', edge, 'UTC')
		)
		SELECT coalesce((
			SELECT sum(charged) FROM usage_hours, kept
			WHERE user_id = $2 AND "hour" >= $3 AND "hour" < $4 AND ("hour" < kept.since OR "hour" NOT IN (SELECT "hour" FROM apart))
		), 0) + coalesce((
			SELECT sum(part.charged) FROM apart, LATERAL (
				SELECT sum(charged) AS charged FROM logs
				WHERE user_id = $2 AND at >= greatest(apart."hour", $3) AND at < least(apart."hour" + interval '1 hour', $4)
			) AS part
		), 0) INTO found;
	WHEN 'group' THEN
		WITH kept AS MATERIALIZED (
			SELECT coalesce((SELECT (value #>> '{}')::timestamptz FROM settings WHERE name = 'usageRowsKeptFrom'), '-infinity') AS since
		), apart AS MATERIALIZED (
			SELECT "hour" FROM usage_marks WHERE "hour" > $3 - interval '1 hour' AND "hour" < $4
			UNION SELECT date_trunc('hour', edge, 'UTC') FROM unnest(ARRAY[$3, $4]) AS edge WHERE edge <> date_trunc('hour', edge, 'UTC')
		)
		SELECT coalesce((
			SELECT sum(charged) FROM usage_hours, kept
			WHERE "group" = $2 AND "hour" >= $3 AND "hour" < $4 AND ("hour" < kept.since OR "hour" NOT IN (SELECT "hour" FROM apart))
		), 0) + coalesce((
			SELECT sum(part.charged) FROM apart, LATERAL (
				SELECT sum(charged) AS charged FROM logs
				WHERE "group" = $2 AND at >= greatest(apart."hour", $3) AND at < least(apart."hour" + interval '1 hour', $4)
			) AS part
		), 0) INTO found;
	WHEN 'member_id' THEN
		WITH kept AS MATERIALIZED (
			SELECT coalesce((SELECT (value #>> '{}')::timestamptz FROM settings WHERE name = 'usageRowsKeptFrom'), '-infinity') AS since
		), apart AS MATERIALIZED (
			SELECT "hour" FROM usage_marks WHERE "hour" > $3 - interval '1 hour' AND "hour" < $4
			UNION SELECT date_trunc('hour', edge, 'UTC') FROM unnest(ARRAY[$3, $4]) AS edge WHERE edge <> date_trunc('hour', edge, 'UTC')
		)
		SELECT coalesce((
			SELECT sum(charged) FROM usage_hours, kept
			WHERE user_id = split_part($2, '.', 1) AND member_id = $2 AND "hour" >= $3 AND "hour" < $4 AND ("hour" < kept.since OR "hour" NOT IN (SELECT "hour" FROM apart))
		), 0) + coalesce((
			SELECT sum(part.charged) FROM apart, LATERAL (
				SELECT sum(charged) AS charged FROM logs
				WHERE user_id = split_part($2, '.', 1) AND member_id = $2 AND at >= greatest(apart."hour", $3) AND at < least(apart."hour" + interval '1 hour', $4)
			) AS part
		), 0) INTO found;
	END CASE;
	RETURN found;
END
$$;
--> statement-breakpoint
-- As the function of this name with one column less, which instances of earlier versions still call.
CREATE FUNCTION "books_sync_lines"(
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
