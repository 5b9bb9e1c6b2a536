/** Blocks of an answer. A stream builds the same parts piece by piece, with the functions at the end of this file. */
import type { Memo } from '#canonical/codec'
import type { CallPart, NativePart, Part, PartHead } from '#canonical/conversation'
import type { Fields } from '#canonical/fields'
import { clientName } from '#canonical/tool-names'
import { unwrapInput } from '#canonical/wrapped-tool'
import type { MessagesBlock } from '#shared/protocols/anthropic/messages'
import { isObject } from '#wire/json-scan'
import { broken, type Json, jsonText } from '../frame.ts'
import { readCitation } from './citations.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Undefined for text that is empty. Kinds that nobody knows stay as they are. */
export function readAnswerBlock(block: Fields<MessagesBlock>, memo: Memo): Part | undefined {
  switch (block.textIf('type')) {
    case 'text': {
      const list = block.json('citations')
      const citations = Array.isArray(list) ? list.map(readCitation).filter((one) => one !== undefined) : []
      const words = block.textIf('text') ?? ''
      return words === '' ? undefined : { kind: 'text', text: words, ...(citations.length > 0 && { citations }) }
    }
    case 'thinking': {
      const [thought, value] = [block.textIf('thinking') ?? '', block.textIf('signature') ?? '']
      const opaque = value === '' ? [] : [{ dialect: 'messages' as const, kind: 'signature' as const, value }]
      return { kind: 'reasoning', text: thought === '' ? [] : [thought], form: 'full', opaque }
    }
    case 'redacted_thinking': {
      const value = block.textIf('data') ?? ''
      return { kind: 'reasoning', text: [], form: 'hidden', opaque: [{ dialect: 'messages', kind: 'redacted', value }] }
    }
    case 'tool_use':
      return readAnswerCall(block, memo)
    default:
      return nativeOf(block.whole())
  }
}

function readAnswerCall(block: Fields<MessagesBlock>, memo: Memo): CallPart {
  // A call of the client's tools is always made by the model itself.
  block.objectIf('caller')?.ignore('type')
  const call = { id: block.json('id'), name: block.json('name'), input: block.json('input') }
  const head = callHead(call, memo)
  const argsText = inputText(call)
  return { ...head, argsText: head.form === 'text' ? unwrapInput(argsText) : argsText }
}

/** The whole input of a call as JSON text. Throws GatewayError `upstream_error` when it nests too deep to be written. */
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

/** What only this dialect can show. No words stand in for it, because the answer makes sense without it. */
export const nativeOf = (raw: Json): NativePart => ({ kind: 'native', dialect: 'messages', raw })
