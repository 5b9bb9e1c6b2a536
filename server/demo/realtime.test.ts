import { expect, test } from 'bun:test'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createDemoSockets } from './realtime.ts'

type Event = Record<string, unknown> & { type: string }

async function conversation() {
  const events: Event[] = []
  const closed = Promise.withResolvers<number>()
  let look = () => {}
  const socket = await createDemoSockets({ clock, random, pace: 0 }).dial(
    { url: 'http://demo.invalid/v1/realtime?model=parley-demo-realtime', headers: {} },
    {
      message(frame) {
        events.push(JSON.parse(String(frame)))
        look()
      },
      drained: () => {},
      closed: (code) => closed.resolve(code),
    },
    new AbortController().signal,
  )
  if ('status' in socket) throw new Error('the demo refused')
  const event = (type: string, number = 1) =>
    new Promise<Event>((resolve) => {
      look = () => {
        const found = events.filter((one) => one.type === type)[number - 1]
        if (found) resolve(found)
      }
      look()
    })
  const say = (text: string) => {
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
    socket.send(JSON.stringify({ type: 'conversation.item.create', item }))
    socket.send(JSON.stringify({ type: 'response.create', event_id: 'mine' }))
  }
  return { events, socket, event, say, closed: closed.promise }
}

const usageOf = (event: Event) => (event.response as { usage: Record<string, number>; status: string }).usage

test('begins, answers word by word, and reports its usage', async () => {
  const { events, event, say } = await conversation()
  expect((await event('session.created')).session).toMatchObject({ model: 'parley-demo-realtime' })
  say('/long 9')
  const done = await event('response.done')
  const deltas = events.filter(({ type }) => type === 'response.output_text.delta')
  expect(deltas).toHaveLength(9)
  const text = deltas.map(({ delta }) => delta).join('')
  expect((await event('response.output_text.done')).text).toBe(text)
  expect(usageOf(done)).toMatchObject({ input_tokens: 2, output_tokens: Math.ceil(text.length / 4) })
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length)
})

test('remembers the conversation', async () => {
  const { event, say } = await conversation()
  say('one')
  const first = usageOf(await event('response.done'))
  say('two')
  expect(usageOf(await event('response.done', 2)).input_tokens).toBeGreaterThan(first.input_tokens ?? 0)
})

test('one response at a time; a cancelled one ends with its output so far', async () => {
  const { socket, event, say } = await conversation()
  say('/long 5000')
  await event('response.output_text.delta', 3)
  socket.send('{"type":"response.create","event_id":"second"}')
  expect((await event('error')).error).toMatchObject({ code: 'conversation_already_has_active_response', event_id: 'second' })
  socket.send('{"type":"response.cancel"}')
  expect((await event('response.done')).response).toMatchObject({ status: 'cancelled' })
})

test('the commands work, and what it does not know is an error event', async () => {
  const { socket, event, say, closed } = await conversation()
  for (const frame of ['{"type":"nothing.known"}', 'no json', '{"type":"toString"}', '{"type":"session.update"}']) socket.send(frame)
  await event('error', 4)
  say('/error 429')
  expect((await event('error', 5)).error).toMatchObject({ event_id: 'mine' })
  say('/cut')
  expect(await closed).toBe(1006)
  expect(socket.send('{}')).toBe(false)
})

test('sends nothing while it is paused, and everything afterwards', async () => {
  const { events, socket, event, say } = await conversation()
  await event('session.created')
  socket.pause()
  say('/long 5')
  await Bun.sleep(30)
  expect(events).toHaveLength(1)
  socket.resume()
  await event('response.done')
})
