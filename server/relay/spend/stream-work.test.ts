/** The work of the tokenizer and the books for a long streamed answer, counted instead of timed. */
import { describe, expect, test } from 'bun:test'
import { cost } from '#billing/pricing/cost'
import { firstOutputTokens, tokensOf } from '#billing/pricing/estimate'
import { resolveRates } from '#billing/pricing/rates'
import { createTokenEstimator } from '#billing/tokens/tokenizer'
import type { Head } from '#canonical/codec'
import { eventMeter } from '#canonical/event-meter'
import { roughly, type Scale } from '#canonical/token-estimator'
import { noUsage } from '#canonical/usage'
import type { Candidate } from '#routing/order'
import { handClock } from '#testing/hand-clock'
import { amountToBegin, growthWith } from './hold.ts'
import { openRunningCharge } from './running-charge.ts'
import { createTopUp } from './top-up.ts'

const ratio = 1_000_000n
const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Tell me a long story. '.repeat(20) }] })
const events = 1000
/** Bytes of an event as its upstream sends it. */
const frameBytes = 250

interface Stream {
  maxOutput: number | undefined
  /** Nano-dollars that the hold may grow by. */
  free: bigint
  /** Whether the upstream reports its usage at the end. */
  told: boolean
}

/** Runs a stream to its end, and counts. */
async function run({ maxOutput, free, told }: Stream) {
  const did = { inputs: 0, outputs: 0, grown: 0, checks: 0 }
  const price = { rates: resolveRates({ input: '1', output: '2' }) }
  const head = { inputBytes: body.length, n: 1, maxOutput, stream: true } as Head
  const models = { price, candidates: [{ dialect: 'chat', model: { capabilities: {} } } as unknown as Candidate] }
  const held = amountToBegin({ head }, [models], ratio)
  const { step, most, slice } = growthWith({ head }, models, ratio)
  let left = free

  const estimator = createTokenEstimator('m', () => {
    did.inputs += 1
    return { body, bytes: body.length, hasFiles: false }
  })
  const scale: Scale = {
    input: (bytes) => estimator.input(bytes),
    output(bytes) {
      if (bytes > 0) did.outputs += 1
      return estimator.output(bytes)
    },
  }
  const meter = eventMeter(estimator)
  const charge = openRunningCharge({
    clock: handClock(),
    topUp: createTopUp({
      held,
      step,
      ...(most !== undefined && { most }),
      async grow(extra) {
        did.grown += 1
        if (extra > left) return false
        left -= extra
        return true
      },
    }),
    spent() {
      did.checks += 1
      return cost(meter.used(body.length, roughly), price.rates, ratio)
    },
    counted: () => cost(meter.used(body.length, scale), price.rates, ratio),
    hasPlenty: () => left >= 10n * (held + free - left),
    worth: (bytes) => (slice * BigInt(tokensOf(bytes))) / BigInt(firstOutputTokens),
    note: () => undefined,
  })

  meter.add([{ kind: 'open', choice: 0, at: 0, part: { kind: 'text' } }])
  for (let n = 0; n < events; n++) {
    meter.add([{ kind: 'delta', choice: 0, at: 0, delta: { text: ` @${1_700_000_000_000_000 + n * 977}@` } }])
    const stopped = await charge.passed(frameBytes)
    if (stopped) return { ...did, stopped: stopped.code }
  }
  const usage = {
    ...noUsage(),
    in: { ...noUsage().in, fresh: 100 },
    out: { ...noUsage().out, total: 5000 },
    provenance: 'provider' as const,
  }
  meter.add([{ kind: 'finish', choice: 0, finish: { reason: 'stop', raw: 'stop' } }])
  if (told) meter.add([{ kind: 'usage', usage }])
  meter.add([{ kind: 'end' }])
  // Once for the client, once for the charge.
  for (let times = 0; times < 2; times++) meter.used(body.length, scale)
  await charge.close()
  return { ...did, stopped: undefined }
}

const rich = 1_000_000_000_000n

describe('a stream of a thousand events', () => {
  test('far from the end of its hold: the tokenizer is for the end, or not needed at all', async () => {
    const told = await run({ maxOutput: 20_000, free: rich, told: true })
    expect(told).toMatchObject({ inputs: 0, outputs: 0, stopped: undefined })
    expect(told.grown).toBeLessThan(4)
    expect(told.checks).toBeLessThan((events * frameBytes) / 4096 + 10)
    const silent = await run({ maxOutput: 20_000, free: rich, told: false })
    // Asked for twice, counted once: see `tokenizer.test.ts`.
    expect(silent).toMatchObject({ inputs: 1, outputs: 2, stopped: undefined })
  })

  test('that says much more than was asked for grows its hold by steps, not by events', async () => {
    const { inputs, outputs, grown, stopped } = await run({ maxOutput: 256, free: rich, told: true })
    expect({ inputs, outputs, stopped }).toEqual({ inputs: 0, outputs: 0, stopped: undefined })
    expect(grown).toBeLessThan(40)
  })

  test('whose money runs short has its request counted once, and ends', async () => {
    const { inputs, outputs, stopped } = await run({ maxOutput: undefined, free: 4_000_000n, told: true })
    expect({ inputs, stopped }).toEqual({ inputs: 1, stopped: 'insufficient_quota' })
    expect(outputs).toBeLessThan(100)
  })
})
