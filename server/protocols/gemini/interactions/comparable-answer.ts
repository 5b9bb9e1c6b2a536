/** Reads interactions, whole or as events, for comparison. Pure. */
import type { ComparableAnswer } from '#canonical/wording'
import { parseExactObject } from '#shared/exact-numbers'
import { isObject, type JsonObject } from '#shared/json'
import { createSseSplitter } from '#shared/sse'
import { listOf, textIn } from './steps.ts'

const finishes: Readonly<Record<string, string>> = { completed: 'stop', requires_action: 'tool-calls', incomplete: 'length' }
const finishOf = (status: unknown) => finishes[String(status)] ?? null

const errorIn = (error: unknown): ComparableAnswer['error'] =>
  isObject(error) ? { code: String(error.code ?? error.status ?? 'error'), message: textIn(error.message) } : null

/** Undefined for anything else. */
export function readComparable(body: Uint8Array): ComparableAnswer | undefined {
  const whole = parseExactObject(new TextDecoder().decode(body))
  if (!whole) return ofEvents(body)
  if (whole.error) return { text: '', calls: [], finish: null, error: errorIn(whole.error) }
  const steps = listOf(whole.steps)
  const texts = steps.filter(({ type }) => type === 'model_output').flatMap((step) => listOf(step.content))
  const calls = steps.flatMap((step) =>
    step.type === 'function_call' ? [{ name: textIn(step.name), args: JSON.stringify(step.arguments ?? {}) }] : [],
  )
  return {
    text: texts.map(({ text }) => textIn(text)).join(''),
    calls,
    finish: finishOf(whole.status),
    error: errorIn(listOf(whole.errors)[0]),
  }
}

function ofEvents(body: Uint8Array): ComparableAnswer | undefined {
  const answer: ComparableAnswer = { text: '', calls: [], finish: null, error: null }
  const splitter = createSseSplitter()
  const events = [...splitter.push(body), ...splitter.end()].map(({ data }) => parseExactObject(data ?? '')).filter(isObject)
  for (const event of events) addEvent(answer, event)
  return events.length > 0 ? answer : undefined
}

function addEvent(answer: ComparableAnswer, { step, delta, interaction, error }: JsonObject): void {
  if (isObject(step) && step.type === 'function_call') answer.calls.push({ name: textIn(step.name), args: '' })
  if (isObject(delta) && delta.type === 'text') answer.text += textIn(delta.text)
  const call = answer.calls.at(-1)
  if (call && isObject(delta) && delta.type === 'arguments_delta') call.args += textIn(delta.arguments)
  if (isObject(interaction)) answer.finish = finishOf(interaction.status)
  if (error) answer.error = errorIn(error)
}
