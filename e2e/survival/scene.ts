/** The setup with which the fixtures were made: one upstream for all channels, and its answers. The test uses parts of it again. */

import { type Gate, gate, respondJson, stream } from '#testing/upstream/scripted-answers'
import type { Script } from '#testing/upstream/scripted-upstream'
import { responsesVendor } from '#testing/vendors/responses-vendor'
import { chatAnswer } from '../support/chat-answer.ts'
import { compactingVendor } from '../support/compacting-vendor.ts'

export const models = { chat: 'gpt-test', thinker: 'thinker', native: 'native', realtime: 'gpt-realtime' } as const

/** Every channel has its own key, by which the upstream recognises the channel. */
export const channelKeys = {
  chat: 'sk-chat-of-old',
  thinker: 'sk-thinker-of-old',
  one: 'sk-one-of-old',
  two: 'sk-two-of-old',
  realtime: 'sk-voice-of-old',
  declared: 'sk-declared-of-old',
}

/** 12 input tokens at 1 and 7 output tokens at 2 USD per million, in nano-dollars. */
export const wholeCost = 12 * 1000 + 7 * 2000

/** A Chat answer with that usage. */
export const wholeAnswer = chatAnswer({ prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 })

const piece = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`

/** The Chat upstream's behaviour, chosen by the last message. */
const chat: Record<string, () => Script> = {
  opened: () => () => {},
  streaming: () => stream([piece('12345678'), piece('12345678')], { ending: 'hang' }),
  grown: () =>
    stream(
      Array.from({ length: 30 }, () => piece('one two three four '.repeat(50))),
      { everyMs: 20, ending: 'hang' },
    ),
}

/** The upstream of all channels. */
export interface Stage {
  script: Script
  /** Controls the requests that are held back. */
  waiting: Gate
}

/** Creates the upstream's script. */
export function stage(): Stage {
  const waiting = gate(respondJson(200, wholeAnswer))
  const thinker = responsesVendor({ keys: [channelKeys.thinker], models: [models.thinker] })
  const accounts: Record<string, Script> = { [channelKeys.one]: compactingVendor('one'), [channelKeys.two]: compactingVendor('two') }
  const script: Script = (exchange) => {
    const key = (exchange.request.header('authorization') ?? '').replace('Bearer ', '')
    if (key === channelKeys.thinker) return thinker(exchange)
    const account = accounts[key]
    if (account) return account(exchange)
    const body = exchange.request.json() as { messages: { content: unknown }[] }
    const asked = String(body.messages.at(-1)?.content)
    if (asked === 'settled') return waiting.script(exchange)
    return (chat[asked]?.() ?? respondJson(200, wholeAnswer))(exchange)
  }
  return { script, waiting }
}

/** A user declared in parley.yaml. */
export const declared = { name: 'declared', password: 'a password of the file', key: 'sk-declared-client-key' }

export const declaration = `
users: [{ name: ${declared.name}, password: ${declared.password}, balance: 3 }]
keys: [{ name: declared key, user: ${declared.name}, key: ${declared.key} }]
channels:
  - { name: declared, vendor: openai-compatible, baseUrl: "\${UPSTREAM}", keys: [${channelKeys.declared}], models: [declared] }
prices: { declared: { input: 1, output: 2 } }
`
