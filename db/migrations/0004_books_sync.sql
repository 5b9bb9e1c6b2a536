-- One call of an instance: settles lines, gives slices back, takes new ones. Locks the instance, then wallets by id, then its own
-- leases; each statement here sees what the locks before it waited for. Answers every wallet it touched, in absolute amounts.
--   lines  [{n, row: a row of logs, wallet, cost, covered}]: `covered` is what the instance's lease pays, the rest comes out of what is free
--   give   [{wallet, amount}]
--   ask    [{wallet, need, want}]: `need` or nothing, and up to `want` as long as enough stays for the other instances
-- A column that is added to logs later must allow null, or be given here.
-- `replay` settles the lines of an earlier run, whose leases may be gone: then all of a cost comes out of what is free.
CREATE FUNCTION "books_sync"("me" bigint, "my_seq" bigint, "replay" boolean, "lines" jsonb, "give" jsonb, "ask" jsonb)
RETURNS TABLE ("wallet" text, "leased" bigint, "free" bigint, "live" integer) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	touched text[];
	live_now integer;
BEGIN
	UPDATE instances SET seq = my_seq, seen = clock_timestamp()
	WHERE instances.id = me AND instances.seq < my_seq AND (instances.state = 'live' OR replay);
	IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'PF001'; END IF;

	SELECT coalesce(array_agg(DISTINCT t.wallet), '{}') INTO touched
	FROM jsonb_to_recordset(lines || give || ask) AS t(wallet text) WHERE t.wallet IS NOT NULL;
	PERFORM 1 FROM wallets WHERE wallets.id = ANY (touched) ORDER BY wallets.id FOR NO KEY UPDATE;

	IF jsonb_array_length(lines) > 0 THEN
		WITH line AS (
			SELECT DISTINCT ON (l."row" ->> 'request_id') l.*, l."row" ->> 'request_id' AS request_id
			FROM jsonb_to_recordset(lines) AS l(n integer, "row" jsonb, wallet text, cost bigint, covered bigint)
			WHERE NOT EXISTS (SELECT FROM logs WHERE logs.request_id = l."row" ->> 'request_id')
			ORDER BY l."row" ->> 'request_id', l.n
		), leased AS (
			SELECT line.*, coalesce(least(line.covered, greatest(0, leases.amount - coalesce(sum(line.covered) OVER earlier, 0))), 0)::bigint AS from_lease
			FROM line LEFT JOIN leases ON leases.instance = me AND leases.wallet_id = line.wallet
			WINDOW earlier AS (PARTITION BY line.wallet ORDER BY line.n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
		), bill AS (
			SELECT leased.*, coalesce(least(leased.cost - from_lease,
				greatest(0, wallets.balance - wallets.held - coalesce(sum(leased.cost - from_lease) OVER earlier, 0))), 0)::bigint AS from_free
			FROM leased LEFT JOIN wallets ON wallets.id = leased.wallet
			WINDOW earlier AS (PARTITION BY leased.wallet ORDER BY leased.n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
		), logged AS (
			INSERT INTO logs SELECT r.*
			FROM bill, jsonb_populate_record(null::logs, bill."row" || jsonb_build_object('charged', from_lease + from_free)) AS r
		), entered AS (
			INSERT INTO entries (wallet_id, amount, kind, ref, actor, reason, at)
			SELECT bill.wallet, -(from_lease + from_free), 'usage', 'usage:' || request_id, coalesce(bill."row" ->> 'key', 'session'),
				(bill."row" ->> 'operation') || ' ' || (bill."row" ->> 'model'), (bill."row" ->> 'at')::timestamptz
			FROM bill WHERE from_lease + from_free > 0
		), sums AS (
			SELECT bill.wallet, sum(from_lease) AS from_lease, sum(from_free) AS from_free FROM bill WHERE bill.wallet IS NOT NULL GROUP BY bill.wallet
		), paid AS (
			UPDATE wallets SET balance = balance - sums.from_lease - sums.from_free, held = held - sums.from_lease FROM sums WHERE wallets.id = sums.wallet
		)
		UPDATE leases SET amount = amount - sums.from_lease FROM sums WHERE leases.instance = me AND leases.wallet_id = sums.wallet;
	END IF;

	IF jsonb_array_length(give) > 0 THEN
		WITH given AS (
			UPDATE leases SET amount = leases.amount - g.amount FROM jsonb_to_recordset(give) AS g(wallet text, amount bigint)
			WHERE leases.instance = me AND leases.wallet_id = g.wallet RETURNING leases.wallet_id, g.amount
		)
		UPDATE wallets SET held = held - given.amount FROM given WHERE wallets.id = given.wallet_id;
	END IF;

	SELECT count(*) INTO live_now FROM instances WHERE instances.state = 'live' AND instances.seen > clock_timestamp() - interval '30 seconds';

	IF jsonb_array_length(ask) > 0 THEN
		WITH part AS (
			SELECT k.wallet, greatest(k.need, least(k.want, (wallets.balance - wallets.held) / (2 * greatest(live_now, 1)))) AS amount
			FROM jsonb_to_recordset(ask) AS k(wallet text, need bigint, want bigint) JOIN wallets ON wallets.id = k.wallet
			WHERE wallets.balance - wallets.held >= k.need
		), taken AS (
			UPDATE wallets SET held = held + part.amount FROM part WHERE wallets.id = part.wallet AND part.amount > 0 RETURNING wallets.id, part.amount
		)
		INSERT INTO leases (instance, wallet_id, amount) SELECT me, taken.id, taken.amount FROM taken
		ON CONFLICT (instance, wallet_id) DO UPDATE SET amount = leases.amount + excluded.amount;
	END IF;

	RETURN QUERY SELECT wallets.id, coalesce(leases.amount, 0), wallets.balance - wallets.held, live_now
	FROM wallets LEFT JOIN leases ON leases.instance = me AND leases.wallet_id = wallets.id WHERE wallets.id = ANY (touched);
END
$$;
