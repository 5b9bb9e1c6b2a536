/** Blocks of an answer, whole ones; a stream builds the same parts piece by piece. */
import type { Memo } from '#canonical/codec'
import type { CallPart, NativePart, Part, PartHead } from '#canonical/conversation'
import { clientName } from '#canonical/tool-names'
import { unwrapInput } from '#canonical/wrapped-tool'
import { isObject } from '#wire/json-scan'
import { readCitation } from './citations.ts'
import { broken, type Json, jsonText } from './frame.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Undefined for what is no block and for text that is empty. Kinds that nobody knows stay as they are. */
export function readAnswerBlock(block: unknown, memo: Memo): Part | undefined {
  if (!isObject(block)) return undefined
  switch (block.type) {
    case 'text': {
      const citations = Array.isArray(block.citations) ? block.citations.map(readCitation).filter((one) => one !== undefined) : []
      const words = text(block.text)
      return words === '' ? undefined : { kind: 'text', text: words, ...(citations.length > 0 && { citations }) }
    }
    case 'thinking': {
      const [thought, value] = [text(block.thinking), text(block.signature)]
      const opaque = value === '' ? [] : [{ dialect: 'messages' as const, kind: 'signature' as const, value }]
      return { kind: 'reasoning', text: thought === '' ? [] : [thought], form: 'full', opaque }
    }
    case 'redacted_thinking':
      return {
        kind: 'reasoning',
        text: [],
        form: 'hidden',
        opaque: [{ dialect: 'messages', kind: 'redacted', value: text(block.data) }],
      }
    case 'tool_use':
      return readAnswerCall(block, memo)
    default:
      return nativeOf(block)
  }
}

function readAnswerCall(block: Json, memo: Memo): CallPart {
  const head = callHead(block, memo)
  const argsText = inputText(block)
  return { ...head, argsText: head.form === 'text' ? unwrapInput(argsText) : argsText }
}

/** The whole input of a call. Throws GatewayError `upstream_error` when nobody could read it. */
export function inputText({ input }: Json): string {
  const json = jsonText(isObject(input) ? input : {})
  if (json === undefined) throw broken()
  return json
}

/** What is known of a call before its arguments, in the client's words. */
export function callHead(block: Json, memo: Memo): Extract<PartHead, { kind: 'call' }> {
  const client = clientName(memo, text(block.name))
  return { kind: 'call', callId: text(block.id), ...client, form: memo.wrappedTools.includes(client.name) ? 'text' : 'json' }
}

/** What only this dialect can show: no words stand in for it, for the answer goes on without it. */
export const nativeOf = (raw: Json): NativePart => ({ kind: 'native', dialect: 'messages', raw })
