/**
 * `npm run fuzz -- --count 20000 --seed 1`: damaged bodies at every codec; with `--endpoints` damaged requests at every address of a running
 * Parley, the console's included. Bounded in number; the seed of each finding is printed. A finding becomes a file in `testing/fuzz/finds`,
 * or `endpoint-finds`, which `npm test` tries from then on.
 */
import { parseArgs } from 'node:util'
import { administrator, administratorPassword, startProgram } from '#testing/program/program'
import { faultOf, fuzzCase } from './codecs.ts'
import { endpointCase, endpointFault, endpointsOf } from './endpoints.ts'

const options = {
  count: { type: 'string', default: '20000' },
  seed: { type: 'string', default: '1' },
  endpoints: { type: 'boolean' },
} as const
const { values } = parseArgs({ options })
const [first, count] = [Number(values.seed), Number(values.count)]
const mostFinds = 20

async function codecs(seed: number): Promise<object | undefined> {
  const one = fuzzCase(seed)
  const fault = faultOf(one)
  return fault === undefined ? undefined : { fault, ...one }
}

/** A program to send to, with the demo model; `close` ends it. */
async function openEndpoints(): Promise<{ find(seed: number): Promise<object | undefined>; close(): Promise<unknown> }> {
  const program = await startProgram({ env: { ...administrator, PARLEY_DEMO: 'on' } })
  const { url } = program
  const [endpoint, ...others] = endpointsOf(await (await fetch(`${url}/openapi.json`)).text())
  if (!endpoint) throw new Error('The document has no addresses.')
  const session = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: administrator.PARLEY_ADMIN_USER, password: administratorPassword }),
  })
  const admin = { cookie: (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '' }
  const identities = { key: { authorization: `Bearer ${program.printed('PARLEY_KEY')}` }, admin, user: admin }
  return {
    async find(seed) {
      const one = endpointCase(seed, [endpoint, ...others], identities)
      const fault = await endpointFault(url, one)
      return fault === undefined ? undefined : { fault, ...one, headers: Object.keys(one.headers) }
    },
    close: program.stop,
  }
}

const { find, close } = values.endpoints ? await openEndpoints() : { find: codecs, close: () => undefined }
let finds = 0
for (let seed = first; seed < first + count && finds < mostFinds; seed++) {
  const found = await find(seed)
  if (!found) continue
  finds += 1
  console.log(JSON.stringify({ seed, ...found }))
}
await close()
console.log(`${count} cases from seed ${first}: ${finds} finds`)
process.exitCode = finds > 0 ? 1 : 0
