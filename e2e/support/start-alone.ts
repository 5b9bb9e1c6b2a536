/** `bun start-alone.ts FOLDER`: starts `./parley` in the folder, requests its pages and an answer, and stops it. Prints the results. */
import { administrator, startProgram } from '#testing/program/program'

const [folder = ''] = process.argv.slice(2)
const program = await startProgram({ folder, makesDatabase: true, shell: 'exec ./parley', env: administrator })
const page = await fetch(program.url, { headers: { accept: 'text/html' } })
const answer = await fetch(`${program.url}/v1/chat/completions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${program.printed('PARLEY_KEY')}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'parley-demo', messages: [{ role: 'user', content: 'Hello' }] }),
})
const outside = await fetch('http://192.0.2.1', { signal: AbortSignal.timeout(2_000) }).then(
  () => 'reachable',
  () => 'unreachable',
)
const heard = { title: (await page.text()).includes('<title>Parley'), status: answer.status, outside }
await answer.text()
const { code } = await program.stop()
console.log(JSON.stringify({ ...heard, code }))
