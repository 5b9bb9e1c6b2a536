/** The Responses API's rules for input items: parts by role, calls answered by id, and reasoning issued by the vendor itself. */
import { dataUrlMedia, type Fields, isObject, textOf, unknownField } from './body-checks.ts'
import type { VendorFault } from './chat-rules.ts'
import { invalid } from './responses-rules.ts'

/** What the vendor has issued and will recognise. */
export interface Issued {
  /** The item id of reasoning, by its encrypted content. */
  reasoning: Map<string, string>
  /** The encrypted content that a stateless caller must return with a call, by call id. */
  calls: Map<string, string>
}

/** `input` as items; a string is one user message. */
export const itemsOf = (input: unknown): unknown[] =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : Array.isArray(input) ? input : []

/** The field that the vendor's own agent adds to every item for this vendor. */
const ownAgents = 'internal_chat_message_metadata_passthrough'

const kinds: Record<string, { fields: string; prefix?: string }> = {
  message: { fields: 'type role content id status phase', prefix: 'msg' },
  function_call: { fields: 'type call_id name arguments id status namespace caller async', prefix: 'fc' },
  function_call_output: { fields: 'type call_id output id status', prefix: 'fc' },
  custom_tool_call: { fields: 'type call_id name input id namespace', prefix: 'ctc' },
  custom_tool_call_output: { fields: 'type call_id output id' },
  reasoning: { fields: 'type id summary content encrypted_content status', prefix: 'rs' },
  item_reference: { fields: 'type id' },
  compaction: { fields: 'type id encrypted_content' },
}

/** The first violation in the items of a request, or undefined. */
export function itemsFault(input: unknown, issued: Issued): VendorFault | undefined {
  if (input === undefined) return invalid('input', "Missing required parameter: 'input'.", 'missing_required_parameter')
  if (typeof input !== 'string' && !Array.isArray(input))
    return invalid('input', "Invalid type for 'input': expected a string or an array.", 'invalid_type')
  const items = itemsOf(input)
  for (const [index, item] of items.entries()) {
    const fault = itemFault(item, `input[${index}]`, issued)
    if (fault !== undefined) return fault
  }
  const known = items.filter(isObject)
  return pairingFault(known) ?? reasoningFault(known, issued)
}

function itemFault(item: unknown, at: string, issued: Issued): VendorFault | undefined {
  if (!isObject(item)) return invalid(at, `Invalid type for '${at}': expected an object.`, 'invalid_type')
  const type = textOf(item.type ?? 'message')
  const kind = kinds[type]
  if (kind === undefined) return invalid(`${at}.type`, `Invalid value: '${type}'.`, 'invalid_value')
  const extra = unknownField(item, `${kind.fields} ${ownAgents}`)
  if (extra !== undefined) return invalid(`${at}.${extra}`, `Unknown parameter: '${at}.${extra}'.`, 'unknown_parameter')
  if (kind.prefix !== undefined && item.id != null && !textOf(item.id).startsWith(kind.prefix)) {
    return invalid(`${at}.id`, `Invalid '${at}.id'. Expected an ID that begins with '${kind.prefix}'.`, 'invalid_value')
  }
  if (type === 'message') return messageFault(item, at)
  if (type === 'reasoning') return thoughtFault(item, at, issued)
  if (type === 'function_call' && (typeof item.arguments !== 'string' || textOf(item.name) === '' || textOf(item.call_id) === '')) {
    return invalid(at, `Missing required parameter: '${at}.arguments'.`, 'missing_required_parameter')
  }
  if (type === 'function_call_output') return outputFault(item.output, `${at}.output`)
  return undefined
}

const partTypes: Record<string, string[]> = {
  user: ['input_text', 'input_image', 'input_file'],
  system: ['input_text'],
  developer: ['input_text'],
  assistant: ['output_text', 'refusal'],
}

function messageFault({ role, content }: Fields, at: string): VendorFault | undefined {
  const allowed = partTypes[textOf(role)]
  if (allowed === undefined) return invalid(`${at}.role`, `Invalid value for '${at}.role'.`, 'invalid_value')
  if (typeof content === 'string') return undefined
  return partsFault(content, allowed, `${at}.content`)
}

function outputFault(output: unknown, at: string): VendorFault | undefined {
  if (typeof output === 'string') return undefined
  return partsFault(output, ['input_text', 'input_image', 'input_file'], at)
}

const partFields: Record<string, string> = {
  input_text: 'type text prompt_cache_breakpoint',
  input_image: 'type image_url file_id detail prompt_cache_breakpoint',
  input_file: 'type file_data file_id file_url filename detail prompt_cache_breakpoint',
  output_text: 'type text annotations logprobs',
  refusal: 'type refusal',
}

function partsFault(parts: unknown, allowed: string[], at: string): VendorFault | undefined {
  if (!Array.isArray(parts)) return invalid(at, `Invalid type for '${at}'.`, 'invalid_type')
  for (const [index, part] of parts.entries()) {
    const here = `${at}[${index}]`
    const type = isObject(part) ? textOf(part.type) : ''
    if (!isObject(part) || !allowed.includes(type)) {
      const list = allowed.map((name) => `'${name}'`).join(', ')
      return invalid(`${here}.type`, `Invalid value: '${type}'. Supported values are: ${list}.`, 'invalid_value')
    }
    const extra = unknownField(part, partFields[type] ?? '')
    if (extra !== undefined) return invalid(`${here}.${extra}`, `Unknown parameter: '${here}.${extra}'.`, 'unknown_parameter')
    const data = part.image_url ?? part.file_data
    if (textOf(data).startsWith('data:') && dataUrlMedia(data) === undefined)
      return invalid(here, `Invalid '${here}'. Expected a base64-encoded data URL.`, 'invalid_value')
    if (type === 'input_file' && part.file_data !== undefined && textOf(part.filename) === '')
      return invalid(here, `Missing required parameter: '${here}.filename'.`, 'missing_required_parameter')
  }
  return undefined
}

function thoughtFault(item: Fields, at: string, issued: Issued): VendorFault | undefined {
  if (!Array.isArray(item.summary))
    return invalid(`${at}.summary`, `Missing required parameter: '${at}.summary'.`, 'missing_required_parameter')
  const own = item.encrypted_content == null ? undefined : issued.reasoning.get(textOf(item.encrypted_content))
  if (item.encrypted_content != null && own === undefined) {
    return invalid(null, 'The encrypted content could not be verified.', 'invalid_encrypted_content')
  }
  if (item.id != null && ![...issued.reasoning.values()].includes(textOf(item.id))) {
    return { ...invalid('input', `Item with id '${item.id}' not found.`), status: 404 }
  }
  return undefined
}

const isCall = ({ type }: Fields) => type === 'function_call' || type === 'custom_tool_call'

/** Whether an item is the output of a call. */
export const isOutput = ({ type }: Fields) => type === 'function_call_output' || type === 'custom_tool_call_output'

function pairingFault(items: Fields[]): VendorFault | undefined {
  const calls = items.filter(isCall).map(({ call_id }) => call_id)
  const outputs = items.filter(isOutput).map(({ call_id }) => call_id)
  const stray = outputs.find((id) => !calls.includes(id))
  if (stray !== undefined) return invalid('input', `No tool call found for function call output with call_id ${stray}.`)
  const open = calls.find((id) => !outputs.includes(id))
  if (open !== undefined) return invalid('input', `No tool output found for function call ${open}.`)
  if (new Set(calls).size < calls.length) return invalid('input', 'Duplicate call_id in function calls.')
  return undefined
}

/** Reasoning comes before the items that it led to, and a call of the current turn that followed reasoning must include it. */
function reasoningFault(items: Fields[], issued: Issued): VendorFault | undefined {
  const bare = items.find(({ type }, index) => {
    const next = items[index + 1]
    return type === 'reasoning' && (next === undefined || isOutput(next) || next.role === 'user')
  })
  if (bare !== undefined) return invalid('input', "An item of type 'reasoning' was provided without its required following item.")
  const current = items.findLastIndex(({ role }) => role === 'user')
  const brought = items.map(({ encrypted_content: content }) => content)
  const lost = items.slice(current + 1).find((item) => {
    const needed = isCall(item) ? issued.calls.get(textOf(item.call_id)) : undefined
    return needed !== undefined && !brought.includes(needed)
  })
  return lost === undefined
    ? undefined
    : invalid('input', "An item of type 'function_call' was provided without its required 'reasoning' item.")
}
