/**
 * `bun bench/usage.ts`: queries a million usage rows on PostgreSQL through the console's API: pages of rows, filtered pages, a single
 * row, and reports over a week and over six months, before and after past hours are aggregated. Takes some minutes. The table shows
 * the median of nine requests, in milliseconds.
 */
import { putManyUsageRows, staleHours } from '#testing/database/many-usage-rows'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { administrator, administratorPassword, startProgram } from '#testing/program/program'
import { median } from './statistics.ts'

const count = Number(process.argv[2] ?? 1_000_000)
const askings = 9
const day = 86_400_000

async function main(): Promise<void> {
  const database = await newPostgresDatabase()
  const now = Date.now()
  console.log(`writing ${count} usage rows ...`)
  const begun = performance.now()
  await putManyUsageRows(database.url, count, new Date(now))
  console.log(`written in ${Math.round(performance.now() - begun)} ms`)
  const program = await startProgram({ env: { ...administrator, DATABASE_URL: database.url, PARLEY_LOG: 'warn' } })
  try {
    const cookie = await signIn(program.url)
    const get = async (path: string) => {
      const answer = await fetch(program.url + path, { headers: { cookie } })
      const body = await answer.json()
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`)
      return body
    }
    const first = await get('/api/logs?limit=200')
    const week = `from=${new Date(now - 7 * day).toISOString()}`
    const year = `from=${new Date(Math.floor((now - 182 * day) / 3_600_000) * 3_600_000).toISOString()}`
    const pages = {
      'first page': '/api/logs?limit=50',
      'second page of 200': `/api/logs?limit=200&after=${first.next}`,
      'page five months back': `/api/logs?limit=50&to=${new Date(now - 150 * day).toISOString()}`,
      'page of one user': '/api/logs?limit=50&user=user7',
      'page of one key': '/api/logs?limit=50&key=key31',
      'page of a rare model': '/api/logs?limit=50&model=rare',
      'page of a rare model and one user': '/api/logs?limit=50&model=rare&user=user0',
      'page of an unused model': '/api/logs?limit=50&model=none',
      'page of an unused model of an upstream': '/api/logs?limit=50&upstreamModel=none',
      'page of a channel and a group': '/api/logs?limit=50&channel=channel3&group=group0',
      'page of a status that no row has': '/api/logs?limit=50&status=418',
      'page of failures, of which there are none': '/api/logs?limit=50&failed=true',
      'page of errors': '/api/logs?limit=50&end=error',
      'page of an end that no row has': '/api/logs?limit=50&end=cut',
      'page of an error that no row has': '/api/logs?limit=50&error=none',
      'page of losses, of which there are none': '/api/logs?limit=50&losses=true',
      'page of requests without streaming, of which there are none': '/api/logs?limit=50&stream=false',
      'page of a cost that no row has': '/api/logs?limit=50&minCost=1000',
      'page of a time that no row has': '/api/logs?limit=50&minMs=1000000',
      'page of long answers': '/api/logs?limit=50&minMs=20100',
      'one row': `/api/logs/${first.data[9].requestId}`,
    }
    const sums = {
      'a week by day': `/api/usage?by=day&${week}`,
      'a week by hour and model': `/api/usage?by=hour,model&limit=200&${week}`,
      'six months by day': `/api/usage?by=day&limit=200&${year}`,
      'six months by day in Kathmandu': `/api/usage?by=day&timezone=Asia/Kathmandu&limit=200&${year}`,
      'six months by model and channel': `/api/usage?by=model,channel&${year}`,
      'six months of one user by key': `/api/usage?by=key&user=user7&${year}`,
    }
    await table('usage rows', pages, get)
    await table('reports, from the usage rows of a week', { 'a week by day': sums['a week by day'] }, get)
    const started = performance.now()
    // The current hour is not aggregated.
    while ((await staleHours(database.url)) > 2) await Bun.sleep(1000)
    console.log(`\npast hours aggregated, ${Math.round((performance.now() - started) / 1000)} s later`)
    await table('reports, from aggregates', sums, get)
  } finally {
    await program.stop()
    await database.drop()
  }
}

async function signIn(url: string): Promise<string> {
  const body = JSON.stringify({ name: administrator.PARLEY_ADMIN_USER, password: administratorPassword })
  const answer = await fetch(`${url}/api/session`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return answer.headers.get('set-cookie')?.split(';')[0] ?? ''
}

async function table(title: string, paths: Record<string, string>, get: (path: string) => Promise<unknown>): Promise<void> {
  console.log(`\n${title}`)
  for (const [name, path] of Object.entries(paths)) {
    const times: number[] = []
    for (let n = 0; n < askings; n++) {
      const begun = performance.now()
      await get(path)
      times.push(performance.now() - begun)
    }
    console.log(`  ${name.padEnd(40)} ${median(times).toFixed(1).padStart(8)}   slowest ${Math.max(...times).toFixed(1)}`)
  }
}

await main()
