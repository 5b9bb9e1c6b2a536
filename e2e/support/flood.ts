/**
 * One caller who sends the worst bodies that are known, again and again, from a process of its own: URL, key, session cookie and seconds as
 * arguments. Prints how often each was answered with what.
 */
import { largeBodies } from './large-bodies.ts'

const [url = '', key = '', cookie = '', seconds = '4'] = process.argv.slice(2)
const until = performance.now() + Number(seconds) * 1000
const answers: Record<string, number> = {}

async function send({ name, path, headers, body }: (typeof bodies)[number]): Promise<void> {
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

const bodies = largeBodies().map(({ json, ...rest }) => ({ ...rest, body: Buffer.from(json()) }))
console.log('ready')
async function worker(first: number): Promise<void> {
  for (let at = first; performance.now() < until; at++) {
    const body = bodies[at % bodies.length]
    if (body) await send(body)
  }
}
await Promise.all([0, 2, 4, 6].map(worker))
console.log(JSON.stringify(answers))
