/** Usage rows by the hundred thousand, written by the database itself, as a year of requests would have left them. */
import postgres from 'postgres'

/** Months before `until` that rows lie in. */
const months = 6

/**
 * Adds `count` rows of 20 users, 60 keys, 3 groups, 12 models and 6 channels, evenly over six months, to a PostgreSQL database.
 * Every thousandth is of the model `rare`. The months are there, and statistics are fresh.
 */
export async function putManyUsageRows(databaseUrl: string, count: number, until: Date): Promise<void> {
  const client = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    const last = until.toISOString()
    await client`select logs_add_month(${last}::timestamptz - n * interval '1 month') from generate_series(0, ${months}) n`
    await client`
      insert into logs (request_id, at, user_id, key_id, key, "group", model, upstream_model, channel, operation, dialect, stream, status, "end",
        usage, provenance, cost, charged, price, losses, first_token_ms, total_ms, attempts, upstream_cost)
      select 'req_' || md5(n::text), ${last}::timestamptz - n * (interval '1 month' * ${months} / ${count}::float8), 'user' || n % 20, 'key' || n % 60,
        'key ' || n % 60, 'group' || n % 3, case when n % 1000 = 0 then 'rare' else 'model' || n % 12 end, 'upstream' || n % 12, 'channel' || n % 6,
        'generate', 'chat', true, 200, case when n % 50 = 0 then 'error' else 'complete' end,
        jsonb_build_object(
          'in', jsonb_build_object('fresh', n % 997, 'cacheRead', n % 89, 'cacheWrite', '{"5m":0,"1h":0,"other":0}'::jsonb, 'audio', 0, 'image', 0),
          'out', jsonb_build_object('total', n % 499, 'reasoning', n % 97, 'audio', 0, 'image', 0),
          'units', '{"requests":1,"images":0,"seconds":0,"characters":0,"searches":0}'::jsonb, 'provenance', 'provider',
          'raw', '{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}'::jsonb),
        'provider', n % 100003, n % 100003, '{"input":"1","output":"2","ratio":"1"}', '[]', 50 + n % 2003, 100 + n % 20011,
        '[{"channel":"channel","key":null,"phase":"done","status":200,"cause":null,"ms":100}]', n % 50021
      from generate_series(1, ${count}) n`
    await client`analyze logs`
  } finally {
    await client.end({ timeout: 5 })
  }
}

/** How many hours have sums that are out of date. */
export async function staleHours(databaseUrl: string): Promise<number> {
  const client = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    const [row] = await client<{ n: number }[]>`select count(distinct hour)::int as n from usage_marks`
    return row?.n ?? 0
  } finally {
    await client.end({ timeout: 5 })
  }
}
