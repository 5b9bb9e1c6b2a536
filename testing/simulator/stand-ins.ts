/** Which model may be asked after another, from what the upstreams answered: the rules of stand-ins as whoever configures them knows them. */
import type { Fallbacks } from '#routing/fallbacks'
import { defaultRetry } from '#routing/retry'
import { type Attempt, causesOf } from './attempt.ts'
import type { Client } from './client.ts'
import type { Journal } from './journal.ts'

const none: Fallbacks = { error: [], context: [], filter: [] }

/** `made`: the attempts before this one, oldest first. */
export function judgeModel(
  client: Client,
  made: readonly Attempt[],
  attempt: Attempt,
  configured: Fallbacks | undefined,
  journal: Journal,
): void {
  const { plan, requestId } = client
  const { model, number, at } = attempt
  const last = made.at(-1)
  const what = `attempt ${number} is made on ${model} for ${requestId}`
  journal.holds(client.caller()?.models?.has(model) !== false, `${what}, who may not use it`)
  const causes = last ? causesOf(last) : (['error'] as const)
  journal.holds(causes.length > 0, `${what}, who itself was at fault`)
  if (model === last?.model || (!last && model === 'm')) {
    journal.holds(
      causes.some((cause) => cause === 'error'),
      `${what} again, although its ${causes} would be the same`,
    )
    return
  }
  const begun = made[0]?.at ?? at
  journal.holds(at - begun <= defaultRetry.deadlineMs, `${what} ${at - begun} ms after the first`)
  journal.holds(!made.some((one) => one.model === model), `${what} for the second time`)
  const { models } = plan
  const lists = models ? { error: models, context: models, filter: models } : (configured ?? none)
  const wished = causes.flatMap((cause) => lists[cause])
  // One that nobody could be asked for has failed as well, of an error.
  const passed = wished.some((other) => other !== model && !made.some((one) => one.model === other))
  const allowed = passed ? [...wished, ...lists.error] : wished
  journal.holds(allowed.includes(model), `${what}, which stands in for nothing after ${causes}`)
}
