/** Decides what the demo model answers. Pure: the same prompt gives the same reply. */
import { type DemoCall, type DemoPrompt, type DemoReply, tokensIn } from './prompt.ts'
import { sample } from './sample.ts'
import { answerText, longText, reasoningText } from './texts.ts'
import { chooseCalls } from './tools.ts'

/** The reply to a prompt, within its limits. */
export function replyTo(prompt: DemoPrompt): DemoReply {
  const reasoning = prompt.reasoning ? reasoningText(prompt) : ''
  const calls = prompt.last === 'user' ? chooseCalls(prompt) : []
  const text = calls.length > 0 ? '' : textFor(prompt)
  return within(prompt, { reasoning, text, calls, finish: calls.length > 0 ? 'tool_calls' : 'stop' })
}

function textFor(prompt: DemoPrompt): string {
  if (prompt.json !== undefined) return JSON.stringify(prompt.json.schema === undefined ? seen(prompt) : sample(prompt.json.schema))
  return prompt.commands.long === undefined ? answerText(prompt) : longText(prompt.commands.long)
}

/** The answer in JSON mode without a schema. */
const seen = (prompt: DemoPrompt) => ({ model: 'parley-demo', messages: prompt.messages, images: prompt.images.length, text: prompt.text })

/** Cuts the text before the first stop sequence, and everything at the token limit. */
function within(prompt: DemoPrompt, reply: DemoReply): DemoReply {
  const stopsAt = prompt.stops.map((stop) => reply.text.indexOf(stop)).filter((at) => at !== -1)
  const text = stopsAt.length === 0 ? reply.text : reply.text.slice(0, Math.min(...stopsAt))
  let left = prompt.maxOutput * 4
  const fit = (part: string) => {
    const kept = firstBytes(part, left)
    left -= Buffer.byteLength(kept)
    return kept
  }
  const fitted: DemoReply = {
    reasoning: fit(reply.reasoning),
    text: fit(text),
    calls: reply.calls
      .map((call): DemoCall => ({ tool: fit(call.tool), arguments: fit(call.arguments) }))
      .filter((call) => call.tool !== ''),
    finish: reply.finish,
  }
  const whole = sizeOf({ ...reply, text }) === sizeOf(fitted)
  return whole ? fitted : { ...fitted, finish: 'length' }
}

/** The longest prefix of whole characters that fits in `bytes` of UTF-8. */
function firstBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  let size = 0
  let kept = ''
  for (const character of text) {
    size += Buffer.byteLength(character)
    if (size > bytes) break
    kept += character
  }
  return kept
}

const sizeOf = (reply: DemoReply) => Buffer.byteLength(allOf(reply))
const allOf = (reply: DemoReply) => reply.reasoning + reply.text + reply.calls.map((call) => call.tool + call.arguments).join('')

/** Tokens of a reply: the total, and the reasoning's share. */
export function outputTokens(reply: DemoReply): { total: number; reasoning: number } {
  return { total: tokensIn(allOf(reply)), reasoning: tokensIn(reply.reasoning) }
}
