/**
 * One caller that sends the worst known bodies, again and again, and the upstream that answers them, in a separate process, so that they do
 * not disturb measurements: URL, key, session cookie and seconds as arguments. Prints the address of its upstream, begins with
 * the first line that it is given, and prints how often each body was answered with what.
 */
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { heavyUpstream } from './heavy/heavy-upstream.ts'
import { largeBodies } from './large-bodies.ts'

const [url = '', key = '', cookie = '', seconds = '4'] = process.argv.slice(2)
const answers: Record<string, number> = {}
const bodies = largeBodies()
/** Each is made once. */
const made = new Map<string, Buffer<ArrayBuffer>>()

async function send({ name, path, headers, json }: (typeof bodies)[number]): Promise<void> {
  const body = made.get(name) ?? Buffer.from(json())
  made.set(name, body)
  const credentials = path.startsWith('/pg') ? { cookie } : { authorization: `Bearer ${key}` }
  const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...credentials, ...headers }, body }
  const status = await fetch(url + path, sent).then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.status
    },
    () => 'broken',
  )
  answers[`${name} ${status}`] = (answers[`${name} ${status}`] ?? 0) + 1
}

const upstream = await scriptedUpstream(heavyUpstream())
console.log(upstream.url)
for await (const _ of console) break
const until = performance.now() + Number(seconds) * 1000
async function worker(first: number): Promise<void> {
  for (let at = first; performance.now() < until; at++) {
    const body = bodies[at % bodies.length]
    if (body) await send(body)
  }
}
await Promise.all([0, 2, 4, 6].map(worker))
console.log(JSON.stringify(answers))
await upstream.close()
process.exit()
