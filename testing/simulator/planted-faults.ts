/**
 * Planted faults: small edits to product source files, applied while a file is loaded, which show that the simulator detects them. A fault
 * whose `from` text no longer occurs exactly once is an error and has to be adapted to the current code.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { plugin } from 'bun'

/** One planted fault: a text replacement in one file. */
export interface Plant {
  /** Path below `server`. */
  file: string
  from: string
  to: string
}

/** The planted faults by name. */
export const plants: Readonly<Record<string, Plant>> = {
  'a limited key does not rest': { file: 'routing/breaker.ts', from: '< now + ms) open(', to: '< now - ms) open(' },
  'a breaker never opens': { file: 'routing/breaker.ts', from: 'bad < rules.failures', to: 'bad < 1000' },
  'after a rest everybody comes back at once': { file: 'routing/breaker.ts', from: "'open' || probing) return", to: "'open') return" },
  'a place of a probe is never given back': {
    file: 'routing/breaker.ts',
    from: '    withdrawn() {\n      probing = false',
    to: '    withdrawn() {',
  },
  'an attempt is made on what rests': {
    file: 'routing/health.ts',
    from: 'const admitted = one.breaker.admit(now)',
    to: "const admitted = 'free' as string",
  },
  'retries have no bound': { file: 'routing/retry.ts', from: '<= policy.retries', to: '<= policy.retries + 3' },
  'a candidate is repeated and repeated': { file: 'routing/retry.ts', from: 'if (repeated || !again)', to: 'if (!again)' },
  'what the client did wrong is tried again': { file: 'routing/retry.ts', from: "last.error.retry !== 'never' && ", to: '' },
  'a minute has one request too many': { file: 'billing/ratelimit/limits.ts', from: '+ 1 > rpm', to: '> rpm' },
  'one too many runs at once': {
    file: 'billing/ratelimit/limits.ts',
    from: 'counter.running >= concurrency',
    to: 'counter.running > concurrency',
  },
  'tokens are not limited': {
    file: 'billing/ratelimit/limits.ts',
    from: 'counter.tokens.sum(now) > most',
    to: 'counter.tokens.sum(now) > most * 2',
  },
  'tokens are given back where another took them': {
    file: 'billing/ratelimit/limits.ts',
    from: 'giveBack(now,',
    to: 'giveBack(clock.monotonic(),',
  },
  'a place is never given back': { file: 'billing/ratelimit/limits.ts', from: 'counter.running -= 1', to: 'counter.running -= 0' },
  'a minute is too short': { file: 'billing/ratelimit/minute-window.ts', from: 'slots = 13', to: 'slots = 12' },
  'money is rounded down': { file: 'billing/pricing/cost.ts', from: 'total * ratio + whole - 1n', to: 'total * ratio' },
  'the ratio is forgotten': { file: 'billing/pricing/cost.ts', from: 'total * ratio', to: 'total * 1_000_000n' },
  'output is not held for': { file: 'billing/pricing/estimate.ts', from: 'out.total = output', to: 'out.total = 0' },
  'a request is settled twice': {
    file: 'relay/spend/settle.ts',
    from: '    this.#leave(ending',
    to: '    await books.settle(row)\n    this.#leave(ending',
  },
  'a hold without a charge stays open': { file: 'relay/spend/settle.ts', from: 'books.release(row)', to: 'books.record(row)' },
  'a request is never over': { file: 'relay/spend/settle.ts', from: 'this.#leave(ending', to: 'void (ending' },
  'what failed is charged': { file: 'relay/spend/settle.ts', from: 'ratio) : 0n', to: 'ratio) : 1n' },
  'the terminator is dropped': {
    file: 'relay/pipeline/flow.ts',
    from: 'batch.terminator : batch.whole()',
    to: 'undefined : batch.joined()',
  },
  'a stream is tried again after its content': {
    file: 'relay/pipeline/flow.ts',
    from: '    if (batch.error) return this.#fail(',
    to: `    const again = async () => {
      const { createAttemptLog } = await import('./attempt.ts')
      const { send } = await import('./send.ts')
      const { streamReceiver } = await import('./stream.ts')
      const { parts } = this.#stream
      this.#opened = await send({ ...this.#stream, attempts: createAttemptLog() }, streamReceiver(parts.clock))
      return this.#deliver(this.#opened.value, this.#opened.value.first)
    }
    if (batch.error) return again()
    if (batch.error) this.#fail(`,
  },
  'a request continues although its client left before the first word': {
    file: 'relay/pipeline/flow.ts',
    from: 'this.#arrived = received',
    to: '',
  },
  'the upstream goes on when the client has left': {
    file: 'relay/pipeline/attempt.ts',
    from: 'trying.limits(candidate), trying.signal)',
    to: 'trying.limits(candidate), new AbortController().signal)',
  },
  'a client that leaves a whole answer pays nothing': {
    file: 'relay/relay.ts',
    from: 'if (!this.#isMaking) this.signal',
    to: 'if (this.#isGone) this.signal',
  },
  'a revoked key goes on': { file: 'relay/relay.ts', from: 'if (reason !== undefined) this', to: 'if (!why) this' },
  'a failed attempt leaves its timers': { file: 'relay/pipeline/attempt.ts', from: '    timer.stop()\n', to: '' },
  'failures are not reported to health': { file: 'relay/pipeline/attempt.ts', from: '    health.failed(candidate, error)\n', to: '' },
  'resting candidates are tried without bound': { file: 'routing/places.ts', from: 'load.resting.size < Math.max', to: '0 < Math.max' },
  'the time that an upstream named does not count': { file: 'routing/health.ts', from: 'stated(candidate, now) === 0 && ', to: '' },
  'no request waits for a place': { file: 'routing/places.ts', from: 'for (const { waiting } of of) waiting.add(look)', to: '' },
  'health is not asked': { file: 'relay/pipeline/attempt.ts', from: '!health.admit(candidate)', to: 'clock.now() < 0' },
  'a stream that was cut counts as complete': { file: 'relay/conversation/native.ts', from: "meter.end() !== 'cut'", to: 'meter' },
  'an estimate is charged instead of the upstream’s figures': {
    file: 'canonical/delivered.ts',
    from: 'if (!reported || scale',
    to: 'if (reported !== null || scale',
  },
  'what was refused counts as held': {
    file: 'relay/spend/top-up.ts',
    from: 'if (await growing) return',
    to: 'if ((await growing) || extra > 0n) return',
  },
  'what a hold has grown by is forgotten': { file: 'relay/spend/top-up.ts', from: 'held += extra', to: 'held += 0n' },
  'a stream does not look at its bill': {
    file: 'relay/spend/running-charge.ts',
    from: 'if (this.#sinceLook < this.#lookAfter)',
    to: 'if (sinceLook >= 0)',
  },
  'the journal is notified after the end': { file: 'relay/spend/running-charge.ts', from: '    this.#later?.cancel()\n', to: '' },
  'the journal gets the cost of another model': {
    file: 'relay/spend/settle.ts',
    from: 'cost(usage, price.rates,',
    to: 'cost(usage, models.asked.price.rates,',
  },
  'a model that failed is asked again': {
    file: 'relay/pipeline/send.ts',
    from: '  const untried = (cause: FallbackCause) => instead[cause].filter((one) => !tried.has(one))',
    to: '  let turns = 0\n  const untried = (cause: FallbackCause) => (turns++ < 6 ? [asked, ...instead[cause]] : [])',
  },
  'requests that are too long go to the fallbacks for errors': {
    file: 'relay/pipeline/send.ts',
    from: "return 'context'",
    to: "return 'error'",
  },
  'a model stands in for what the caller did wrong': {
    file: 'relay/pipeline/send.ts',
    from: "retry === 'other' || ",
    to: "retry !== 'x' as string || ",
  },
  'a caller gets a forbidden model as a fallback': {
    file: 'routing/plan.ts',
    from: 'request.models === null || request.models.has(request.model)',
    to: 'request.model !== undefined',
  },
  'an error inside a stream of Gemini passes as an answer': {
    file: 'protocols/gemini/generate-content/stream-meter.ts',
    from: "if (pick(answer, 'error') !== undefined) return fail(",
    to: "if (pick(answer, 'nothing') !== undefined) return fail(",
  },
  'what Gemini says of its usage is not believed': {
    file: 'protocols/gemini/usage.ts',
    from: 'prompt + fromTools + candidates + thoughts === 0',
    to: 'prompt >= 0',
  },
  'a stream of Responses that was cut counts as complete': {
    file: 'protocols/openai/responses/stream-meter.ts',
    from: "ended ?? 'cut'",
    to: "ended ?? 'complete'",
  },
  'a missing embedding is not missed': {
    file: 'canonical/operation/embedding.ts',
    from: 'if (vectors !== inputs)',
    to: 'if (vectors > inputs)',
  },
  'what an upstream says of its embeddings is not believed': {
    file: 'protocols/openai/embeddings/response.ts',
    from: 'usageOf(answer) ?? ',
    to: '',
  },
  'an unfinished picture counts as an answer': {
    file: 'protocols/openai/images/stream-meter.ts',
    from: 'finished > 0 && partials === 0 ?',
    to: 'finished + partials > 0 ?',
  },
  'an answer without a picture is one': {
    file: 'protocols/openai/images/response-meter.ts',
    from: 'images.length === 0',
    to: 'images.length < 0',
  },
  'an image without reported usage is free': {
    file: 'protocols/openai/images/response-meter.ts',
    from: 'unreported: reported ? 0 : images.length',
    to: 'unreported: 0',
  },
  'a client that leaves during an unfinished image pays nothing': {
    file: 'canonical/operation/image.ts',
    from: 'if (unreported + partials === 0 || ',
    to: 'if (reported || partials > 0 || ',
  },
  'what Google says of its pictures is not believed': {
    file: 'protocols/gemini/images/generate.ts',
    from: 'unreported = reported ? 0 : pictures.length',
    to: 'unreported = pictures.length',
  },
  'a response of a session is not paid for': { file: 'relay/realtime/session.ts', from: 'sessionCost.add(usage)', to: 'meter.running()' },
  'output of an unfinished response is free': { file: 'relay/realtime/session.ts', from: 'if (rest) sessionCost.add(rest)', to: '' },
  'a session that was cut counts as complete': {
    file: 'relay/realtime/session.ts',
    from: 'const whole = meter.running() === 0\n',
    to: 'const whole = meter.running() >= 0\n',
  },
  'a session outlives its key': { file: 'relay/realtime/session.ts', from: 'parts.readmit()\n', to: 'parts.largest()\n' },
  'a client gets its end before the books are closed': {
    file: 'relay/realtime/session.ts',
    from: 'await parts.settle(ending)\n    client?.close(code, reason)',
    to: 'client?.close(code, reason)\n    await parts.settle(ending)',
  },
  'what waits for the money is lost': {
    file: 'relay/realtime/session.ts',
    from: "if (stage === 'open') waiting.splice(0)",
    to: "if (stage === 'open') waiting.splice(1)",
  },
  'a line that says no is left open': { file: 'relay/realtime/dial.ts', from: "    answer.close(1000, '')\n", to: '' },
  'a stream begins before it means anything': {
    file: 'relay/pipeline/opening.ts',
    from: '(!batch.meaningful && ',
    to: '(batch.length < 1 && ',
  },
}

/** The text of the file with this fault. Throws if its text does not occur exactly once there. */
export function faultyText(plant: Plant): string {
  const text = readFileSync(join(import.meta.dir, '../../server', plant.file), 'utf8')
  if (text.split(plant.from).length !== 2) throw new Error(`the text to replace must occur exactly once in ${plant.file}`)
  return text.replace(plant.from, () => plant.to)
}

/** Loads the file with this fault from now on. Throws if the fault is unknown or its text does not occur exactly once. */
export function plantFault(name: string): void {
  const plant = plants[name]
  if (!plant) throw new Error(`unknown planted fault: ${name}`)
  const contents = faultyText(plant)
  plugin({
    name: 'plant',
    setup: (build) => {
      build.onLoad({ filter: new RegExp(`/server/${plant.file.replaceAll('.', '\\.')}$`) }, () => ({ contents, loader: 'ts' }))
    },
  })
}
