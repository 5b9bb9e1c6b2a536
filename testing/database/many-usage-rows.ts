/** Hundreds of thousands of usage rows, as after months of requests, generated in the database. */
import postgres from 'postgres'

/** The months before `until` that the rows cover. */
const months = 6

/**
 * Adds `count` rows of 20 users, 60 keys, 3 groups, 12 models and 6 channels, evenly over six months, to a PostgreSQL database. Every
 * thousandth row is of the model `rare`. Creates the partitions and refreshes statistics. A million rows take about fifteen seconds,
 * because indexes and marks are created last and the partitions are unlogged: such a database does not survive a crash.
 */
export async function putManyUsageRows(databaseUrl: string, count: number, until: Date): Promise<void> {
  const client = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    const last = until.toISOString()
    await client`select logs_add_month(${last}::timestamptz - n * interval '1 month') from generate_series(0, ${months}) n`
    const finish = await bare(client)
    await client`
      create temp table usages as select k, jsonb_build_object(
        'in', jsonb_build_object('fresh', k % 997, 'cacheRead', k % 89, 'cacheWrite', '{"5m":0,"1h":0,"other":0}'::jsonb, 'audio', 0, 'image', 0),
        'out', jsonb_build_object('total', k % 499, 'reasoning', k % 97, 'audio', 0, 'image', 0),
        'units', '{"requests":1,"images":0,"seconds":0,"characters":0,"searches":0}'::jsonb, 'provenance', 'provider',
        'raw', '{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}'::jsonb) as usage
      from generate_series(0, 999) k`
    await client`
      insert into logs (request_id, at, user_id, key_id, key, "group", model, upstream_model, channel, operation, dialect, stream, status, "end",
        usage, provenance, cost, charged, price, losses, first_token_ms, total_ms, attempts, upstream_cost)
      select 'req_' || md5(n::text), ${last}::timestamptz - n * (interval '1 month' * ${months} / ${count}::float8), 'user' || n % 20, 'key' || n % 60,
        'key ' || n % 60, 'group' || n % 3, case when n % 1000 = 0 then 'rare' else 'model' || n % 12 end, 'upstream' || n % 12, 'channel' || n % 6,
        'generate', 'chat', true, 200, case when n % 50 = 0 then 'error' else 'complete' end, usage, 'provider', n % 100003, n % 100003, '{"input":"1","output":"2","ratio":"1"}', '[]', 50 + n % 2003, 100 + n % 20011,
        '[{"channel":"channel","key":null,"phase":"done","status":200,"cause":null,"ms":100}]', n % 50021
      from generate_series(1, ${count}) n join usages on k = n % 1000`
    await finish()
  } finally {
    await client.end({ timeout: 5 })
  }
}

/** Removes everything from the table that slows down inserts; the returned function restores it. */
async function bare(client: postgres.Sql): Promise<() => Promise<void>> {
  const parts = await client<{ name: string }[]>`select relid::regclass::text as name from pg_partition_tree('logs') where isleaf`
  for (const { name } of parts) await client.unsafe(`alter table ${name} set unlogged`)
  const indexes = await client<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
    from pg_index where indrelid = 'logs'::regclass and not indisprimary`
  for (const { name } of indexes) await client.unsafe(`drop index ${name}`)
  await client`alter table logs disable trigger logs_mark_hours`
  return async () => {
    await client`alter table logs enable trigger logs_mark_hours`
    await client`insert into usage_marks (hour) select distinct date_trunc('hour', at, 'UTC') from logs`
    await client`set maintenance_work_mem = '256MB'`
    for (const { definition } of indexes) await client.unsafe(definition)
    await client`set default_statistics_target = 20`
    await client`analyze logs`
  }
}

/** Number of hours whose sums are out of date. */
export async function staleHours(databaseUrl: string): Promise<number> {
  const client = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    const [row] = await client<{ n: number }[]>`select count(distinct hour)::int as n from usage_marks`
    return row?.n ?? 0
  } finally {
    await client.end({ timeout: 5 })
  }
}
