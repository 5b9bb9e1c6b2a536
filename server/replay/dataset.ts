/** Stored conversations as examples of a data set, in OpenAI's formats: request and answer. Pure. */
import type { KeptRecord } from '#bodies/record'
import type { DatasetForm, LeftOutReason } from '#shared/console/body'
import type { ReplayAnswer } from '#shared/console/replay'
import { answerOf } from './answer.ts'
import { chatFormOf } from './chat-form.ts'
import { endpointOf, spokenAt } from './spoken.ts'

/** A line of a data set without its line feed, or why the request was left out. */
export type Example = { line: string } | { leftOut: LeftOutReason }

interface Conversation {
  model: unknown
  messages: unknown[]
  tools?: unknown
  parallel_tool_calls?: unknown
}

/** Fields of Responses that refer to content stored elsewhere: without it the messages are not what the model read. */
const elsewhere = ['previous_response_id', 'previous_interaction_id', 'conversation', 'prompt']

/** Finish reasons of answers that ended early. */
const endedEarly = new Set<string | null>(['length', 'context-full', 'paused', null])

/** The example of a kept request; none if the answer is incomplete, refused, one of several, or continues content stored elsewhere. */
export function exampleOf(record: KeptRecord, form: DatasetForm): Example {
  const question = record.parts.find(({ border }) => border === 'client-request')
  const spoken = question?.address === undefined ? undefined : spokenAt(endpointOf(question.address).path)
  if (!question || !spoken) return { leftOut: 'not_chat' }
  const answered = record.parts.find(({ border }) => border === 'client-answer')
  if (answered && (answered.status ?? 200) >= 400) return { leftOut: 'refused' }
  if (!answered || [question, answered].some((part) => part.leftOut || part.broken !== undefined)) return { leftOut: 'incomplete' }
  const chat = chatFormOf(record)
  const answer = answerOf(spoken, answered.status ?? 200, answered.body)
  const asked = chat?.body as (Conversation & { n?: unknown }) | undefined
  if (!asked || !Array.isArray(asked.messages) || !answer) return { leftOut: 'unreadable' }
  if (answer.error || answer.finish === 'refusal' || answer.finish === 'content-filter') return { leftOut: 'refused' }
  if (endedEarly.has(answer.finish) || (spoken.dialect === 'responses' && namesElsewhere(question.body))) return { leftOut: 'incomplete' }
  // A turn that chat cannot express.
  if (chat?.losses.some(({ field, what }) => field === 'turns.native' && what === 'dropped')) return { leftOut: 'incomplete' }
  if (typeof asked.n === 'number' && asked.n > 1) return { leftOut: 'several_answers' }
  if (answer.text === '' && answer.calls.length === 0) return { leftOut: 'incomplete' }
  return { line: JSON.stringify(form === 'evals' ? evalOf(record.requestId, asked, answer) : tuningOf(asked, answer)) }
}

function namesElsewhere(body: Uint8Array): boolean {
  const asked = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>
  return elsewhere.some((name) => (asked[name] ?? null) !== null)
}

/** A line of a file with the purpose `evals`: `item` is what graders compare with, `sample` the model's answer then. */
function evalOf(requestId: string, { model, messages, tools }: Conversation, answer: ReplayAnswer) {
  const calls = callsOf(answer)
  return {
    item: { request_id: requestId, input: messages, ...(tools !== undefined && { tools }), ideal: answer.text },
    sample: { model, output_text: answer.text, ...(calls && { output_tools: calls }) },
  }
}

/** A line of a file with the purpose `fine-tune`. */
function tuningOf({ messages, tools, parallel_tool_calls }: Conversation, answer: ReplayAnswer) {
  const calls = callsOf(answer)
  const last = { role: 'assistant', ...((answer.text !== '' || !calls) && { content: answer.text }), ...(calls && { tool_calls: calls }) }
  return {
    messages: [...messages, last],
    ...(tools !== undefined && { tools }),
    ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
  }
}

/** Calls get new ids: nothing refers to them. */
function callsOf({ calls }: ReplayAnswer) {
  const made = calls.map(({ name, args }, n) => ({ id: `call_${n + 1}`, type: 'function', function: { name, arguments: args } }))
  return made.length === 0 ? undefined : made
}
