/**
 * The sixteen faults that gateways most often mishandle, each a test by this name: every client dialect on every upstream dialect,
 * streamed, and whole where both speak the same; with another channel left and on the last one.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampled } from '#testing/sample'
import { faults as broken, respond, respondJson, stream, wait } from '#testing/upstream/scripted-answers'
import type { Script } from '#testing/upstream/scripted-upstream'
import { balance, type FaultGateway, startFaultGateway, type Trial } from './support/faults/gateway.ts'
import { ask, routes } from './support/faults/routes.ts'
import { cut, expectedOf, keyRefused, limited, silent, summaryOf, unanswered, type Verdict } from './support/faults/verdict.ts'
import {
  type Figures,
  goodStream,
  text,
  trueCost,
  truth,
  type Wire,
  type WireName,
  wireNames,
  wires,
  words,
} from './support/faults/wires.ts'

interface Spoken {
  client: WireName
  upstream: WireName
}

interface Case {
  /** Undefined: a closed port. */
  streamed: ((wire: Wire) => Script) | undefined
  whole?: ((wire: Wire) => Script) | undefined
  timeouts?: object
  verdict: Verdict
  /** The outcome for whole answers or one upstream, where it differs. */
  verdictOf?(spoken: Spoken, isStream: boolean): Verdict | undefined
}

const html = respond(200, { 'Content-Type': 'text/html' }, '<html><body>Sign in</body></html>')
const first = words[0] ?? ''
const brief = { firstEvent: 1, betweenEvents: 1 }
const reported: Verdict = { ...cut, end: 'error' }

/** The content so far, then this. */
const after = (then: (wire: Wire) => string, ending: 'end' | 'reset' | 'hang') => (wire: Wire) =>
  stream(
    // An empty piece would be the last chunk.
    [wire.opening(truth), wire.content(first), then(wire)].filter((piece) => piece !== ''),
    // A reset throws away what has not been read yet.
    { everyMs: 100, ending },
  )

/** All of the answer but its terminator. */
const finished = (wire: Wire) =>
  stream(
    [wire.opening(truth), ...words.map((word) => wire.content(word)), wire.finish(truth)].filter((piece) => piece !== ''),
    { everyMs: 100, ending: 'reset' },
  )

const refusing = (status: number, headers: Record<string, string> = {}) => {
  const answer = (wire: Wire) => respondJson(status, status === 429 ? wire.limited : wire.refusal(status), headers)
  return { streamed: answer, whole: answer }
}

/** Half of a whole answer whose length header promises all of it. */
const half = (ending: 'reset' | 'hang') => (wire: Wire) => {
  const body = wire.whole(truth)
  return (async (exchange) => {
    await exchange.head(200, { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) })
    await exchange.write(body.slice(0, body.length / 2))
    if (ending === 'reset') setTimeout(() => exchange.reset(), 100)
  }) satisfies Script
}

const json = (body: string) => respond(200, { 'Content-Type': 'application/json' }, body)

/** Byte by byte, with a pause after every sixteen. */
const dripping = (head: Record<string, string>, body: string): Script => {
  const bytes = Buffer.from(body)
  return async (exchange) => {
    await exchange.head(200, head)
    for (const [index, byte] of bytes.entries()) {
      await exchange.write(Uint8Array.of(byte))
      if (index % 16 === 15) await wait(1)
    }
  }
}
const chunked = (pieces: readonly string[]) =>
  `${pieces.map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`).join('')}0\r\n\r\n`

/** `before`: the part received before the fault. */
function telling(figures: Figures, before?: Figures): Pick<Case, 'streamed' | 'whole'> {
  const early = (wire: Wire) => (before ? wire.early(before) : '')
  return {
    streamed: (wire) =>
      stream([
        wire.opening(before ?? figures),
        ...words.map((word) => wire.content(word)),
        early(wire) + wire.finish(figures) + wire.terminator(figures),
      ]),
    ...(!before && { whole: (wire) => json(wire.whole(figures)) }),
  }
}
const unbelieved: Verdict = { kind: 'answer', paid: 'estimate' }

const sixteen: Record<string, Case[]> = {
  'refused-connection': [{ streamed: undefined, whole: undefined, verdict: { ...unanswered, asked: 0 } }],
  'reset-before-headers': [{ streamed: () => broken.beforeHead.reset, whole: () => broken.beforeHead.reset, verdict: unanswered }],
  'hang-before-headers': [{ streamed: () => broken.hang, whole: () => broken.hang, timeouts: brief, verdict: silent }],
  'hang-after-headers': [
    { streamed: () => broken.hangAfterHead, whole: half('hang'), timeouts: brief, verdict: silent },
    {
      streamed: after(() => '', 'hang'),
      timeouts: brief,
      verdict: { kind: 'behind', code: 'upstream_timeout', end: 'cut', ailment: 'closed upstream_timeout' },
    },
  ],
  'slow-drip': [
    {
      streamed: (wire) => dripping({ 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' }, chunked(goodStream(wire))),
      whole: (wire) => {
        const body = wire.whole(truth)
        return dripping({ 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }, body)
      },
      verdict: { kind: 'answer', paid: 'truth' },
    },
  ],
  'cut-mid-event': [
    {
      streamed: after((wire) => wire.content('never').slice(0, 20), 'reset'),
      whole: half('reset'),
      verdict: cut,
      verdictOf: (_, isStream) => (isStream ? undefined : unanswered),
    },
  ],
  'cut-after-finish-before-terminator': [
    {
      streamed: (wire) => (wire === wires.responses ? after(() => wire.finish(truth), 'reset') : finished)(wire),
      verdict: { kind: 'answer', paid: 'truth' },
      // It says why it ends, and its figures, in the terminator.
      verdictOf: ({ upstream }) => (upstream === 'responses' ? cut : undefined),
    },
  ],
  'clean-eof-without-terminator': [{ streamed: after(() => '', 'end'), verdict: cut }],
  'error-event-first': [
    { streamed: (wire) => stream([wire.error]), whole: (wire) => json(JSON.stringify(wire.refusal(500))), verdict: unanswered },
    { streamed: (wire) => stream([wire.opening(truth), wire.error]), verdict: unanswered },
  ],
  'error-event-late': [{ streamed: after((wire) => wire.error + wire.content('never'), 'end'), verdict: reported }],
  'rate-limit-with-retry-after': [
    {
      ...refusing(429, { 'Retry-After': '7' }),
      verdict: { ...limited, retryAfter: '7' },
    },
  ],
  'overloaded-529': [
    {
      ...refusing(529),
      verdict: unanswered,
      // Where the upstream's protocol can express it, the client receives it in its own dialect.
      verdictOf: ({ client, upstream }) =>
        upstream === 'messages' ? { ...unanswered, status: client === 'messages' ? 529 : 503 } : undefined,
    },
  ],
  'auth-failure-upstream': [
    {
      ...refusing(401),
      verdict: keyRefused,
    },
  ],
  'html-with-200': [{ streamed: () => html, whole: () => html, verdict: unanswered }],
  'malformed-json-event': [
    {
      streamed: (wire) => stream([`${wire.opening(truth)}data: {"choices": [\n\n`, wire.content(first)]),
      whole: (wire) => json(wire.whole(truth).slice(0, -3)),
      verdict: unanswered,
    },
    { streamed: after((wire) => `data: {"choices": [\n\n${wire.content('never')}`, 'end'), verdict: reported },
  ],
  'wrong-usage': [
    { ...telling({ input: -1000, output: -500 }), verdict: unbelieved },
    {
      ...telling({ input: '1000', output: '500' }),
      verdict: unbelieved,
      // Google writes large numbers as text, and reads them.
      verdictOf: ({ upstream }) => (upstream === 'gemini' ? { kind: 'answer', paid: 'truth' } : undefined),
    },
    { ...telling(undefined), verdict: unbelieved },
    { ...telling({ input: 800_000_000, output: 800_000_000 }), verdict: unbelieved },
    // The last figure counts, whether it is higher or lower than earlier ones.
    { ...telling(truth, { input: 1000, output: 3 }), verdict: { kind: 'answer', paid: 'truth' } },
    { ...telling(truth, { input: 1000, output: 9000 }), verdict: { kind: 'answer', paid: 'truth' } },
  ],
}

interface Asked extends Trial {
  spoken: Spoken
  verdict: Verdict
}

function trialsOf(name: string): Asked[] {
  const pairs = wireNames.flatMap((client) => wireNames.map((upstream) => ({ client, upstream })))
  return (sixteen[name] ?? []).flatMap((one, number) =>
    pairs.flatMap((spoken) =>
      [true, false].flatMap((isStream) => {
        if (!isStream && (spoken.client !== spoken.upstream || !('whole' in one))) return []
        return [true, false].map((left) => trialOf(name, number, one, spoken, isStream, left))
      }),
    ),
  )
}

function trialOf(name: string, number: number, one: Case, spoken: Spoken, isStream: boolean, left: boolean): Asked {
  const wire = wires[spoken.upstream]
  const play = isStream ? one.streamed : one.whole
  const { vendor, speaks } = wire
  return {
    payer: name,
    alone: name === 'auth-failure-upstream',
    name: `${name} ${number}: ${spoken.client} on ${spoken.upstream}, ${isStream ? 'streamed' : 'whole'}, ${left ? 'another left' : 'the last'}`,
    ask: (url, key, model) => ask(url, key, routes[spoken.client], model, isStream),
    channel: { vendor, ...(speaks && { speaks }) },
    left,
    scripts: play ? [play(wire)] : 'nobody',
    good: isStream ? stream(goodStream(wire)) : json(wire.whole(truth)),
    ...(one.timeouts && { timeouts: one.timeouts }),
    spoken,
    verdict: one.verdictOf?.(spoken, isStream) ?? one.verdict,
  }
}

/** An eighth of each fault's, all in a deep run. */
const trials = new Map(
  Object.keys(sixteen).map((name) => {
    const every = trialsOf(name)
    return [name, sampled(every, Math.ceil(every.length / 8))]
  }),
)
const all = [...trials.values()].flat()
const says = { text, first, cost: trueCost, status: 200 }
const nano = (usd: string) => BigInt(Math.round(Number(usd) * 1e9))
/** Nano-dollars by fault. */
const costs = new Map<string, bigint>()
let faulty: FaultGateway

beforeAll(async () => {
  faulty = await startFaultGateway(all)
}, 90_000)

afterAll(() => faulty?.close())

async function hold(trial: Asked): Promise<void> {
  const result = await faulty.run(trial)
  costs.set(trial.payer, (costs.get(trial.payer) ?? 0n) + nano(result.row.cost))
  expect([trial.name, summaryOf(result, trueCost)]).toEqual([trial.name, expectedOf(trial.verdict, trial, says)])
  expect(Number(result.row.cost)).toBeWithin(0, Number(trueCost) + 1e-9)
  expect(result.told.raw).not.toMatch(/org-secret|boom|never|sk-vendor|127\.0\.0\.1/)
  const { verdict } = trial
  if (verdict.kind === 'before' && verdict.retryAfter !== undefined && !trial.left) expect(result.told.retryAfter).toBe(verdict.retryAfter)
}

test.each([...trials.keys()])(
  '%s',
  async (name) => {
    const held = await Promise.allSettled((trials.get(name) ?? []).map(hold))
    const failed = held.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    if (failed.length > 0) throw new Error(`${failed.length} of ${held.length}\n${failed.map(String).join('\n')}`)
  },
  30_000,
)

test('every request was charged at most once, and nothing is held any more', async () => {
  const users = await faulty.money()
  expect(users).toHaveLength(trials.size)
  for (const user of users) {
    const left = nano(balance) - (costs.get(user.name) ?? 0n)
    expect([user.name, nano(user.balance), user.held]).toEqual([user.name, left, '0'])
  }
})
