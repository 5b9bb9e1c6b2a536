/** The documented rules for fallback models, checked against the upstreams' answers. */
import type { Fallbacks } from '#routing/fallbacks'
import { defaultRetry } from '#routing/retry'
import { type Attempt, causesOf } from './attempt.ts'
import type { Client } from './client.ts'
import type { RunLog } from './run-log.ts'

const none: Fallbacks = { error: [], context: [], filter: [] }

/** Checks that this attempt's model is allowed. `made`: the attempts before it, oldest first. */
export function checkFallback(
  client: Client,
  made: readonly Attempt[],
  attempt: Attempt,
  configured: Fallbacks | undefined,
  log: RunLog,
): void {
  const { plan, requestId } = client
  const { model, number, at } = attempt
  const last = made.at(-1)
  const what = `attempt ${number} is made on ${model} for ${requestId}`
  log.check(client.caller()?.models?.has(model) !== false, `${what}, whose caller may not use it`)
  const causes = last ? causesOf(last) : (['error'] as const)
  log.check(causes.length > 0, `${what}, although the request itself was at fault`)
  if (model === last?.model || (!last && model === 'm')) {
    log.check(
      causes.some((cause) => cause === 'error'),
      `${what} again, although its failure (${causes}) is permanent`,
    )
    return
  }
  const begun = made[0]?.at ?? at
  log.check(at - begun <= defaultRetry.deadlineMs, `${what} ${at - begun} ms after the first`)
  log.check(!made.some((one) => one.model === model), `${what} for the second time`)
  const { models } = plan
  const lists = models ? { error: models, context: models, filter: models } : (configured ?? none)
  const requested = causes.flatMap((cause) => lists[cause])
  // A model without any usable channel counts as failed with an error.
  const passed = requested.some((other) => other !== model && !made.some((one) => one.model === other))
  // The requested model may have been skipped because it rests: then it comes last, when no other can be used.
  const allowed = [...requested, ...(passed ? lists.error : []), 'm']
  log.check(allowed.includes(model), `${what}, which is no fallback after ${causes}`)
}
