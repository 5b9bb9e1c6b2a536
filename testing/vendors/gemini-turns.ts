/** The Gemini API's rules for contents: known parts, one response per call, and thought signatures returned unchanged. */
import { type Fields, isObject, mediaOf, objects, textOf, unknownField } from './body-checks.ts'

/** A refusal. */
export interface GeminiFault {
  status: number
  /** `error.status` in the vendor's envelope. */
  state: string
  message: string
  details?: object[]
}

/** A refusal with status 400. */
export const invalid = (message: string): GeminiFault => ({ status: 400, state: 'INVALID_ARGUMENT', message })

/** What the vendor documents for histories without a signature of its own. */
export const sentinel = 'skip_thought_signature_validator'

/** One content with its parts. */
export interface Content {
  role: 'user' | 'model'
  parts: Fields[]
}

/** Contents with neighbours of the same role merged; function responses are the user's. */
export function mergedContents(contents: unknown): Content[] {
  const merged: Content[] = []
  for (const content of objects(contents)) {
    const role = content.role === 'model' ? 'model' : 'user'
    const last = merged.at(-1)
    if (last?.role === role) last.parts.push(...objects(content.parts))
    else merged.push({ role, parts: [...objects(content.parts)] })
  }
  return merged
}

/** The function calls of a content. */
export const callsIn = ({ parts }: Content): Fields[] => parts.flatMap((part) => (isObject(part.functionCall) ? [part.functionCall] : []))

/** The function responses of a content. */
export const responsesIn = ({ parts }: Content): Fields[] =>
  parts.flatMap((part) => (isObject(part.functionResponse) ? [part.functionResponse] : []))

/** The first violation in the contents, or undefined. */
export function contentsFault(contents: unknown, issued: ReadonlySet<string>): GeminiFault | undefined {
  if (!Array.isArray(contents) || contents.length === 0) return invalid('contents is not specified')
  for (const [index, content] of contents.entries()) {
    const at = `contents[${index}]`
    if (!isObject(content)) return invalid(`Invalid value at '${at}'.`)
    if (unknownField(content, 'role parts') !== undefined) return invalid(`Unknown name at '${at}': Cannot find field.`)
    if (content.role !== undefined && !['user', 'model', 'function'].includes(textOf(content.role))) {
      return invalid('Please use a valid role: user, model.')
    }
    if (!Array.isArray(content.parts) || content.parts.length === 0)
      return invalid(`* GenerateContentRequest.${at}.parts: must not be empty.`)
    for (const [number, part] of content.parts.entries()) {
      const fault = partFault(part, `${at}.parts[${number}]`, content.role === 'model')
      if (fault !== undefined) return fault
    }
  }
  const turns = mergedContents(contents)
  return pairingFault(turns) ?? signatureFault(turns, issued)
}

const partFields = `text inlineData fileData functionCall functionResponse executableCode codeExecutionResult toolCall toolResponse thought
  thoughtSignature videoMetadata mediaResolution partMetadata`
const dataFields = /^(text|inlineData|fileData|functionCall|functionResponse|executableCode|codeExecutionResult|toolCall|toolResponse)$/

function partFault(part: unknown, at: string, model: boolean): GeminiFault | undefined {
  if (!isObject(part)) return invalid(`Invalid value at '${at}'.`)
  const extra = unknownField(part, partFields)
  if (extra !== undefined) return invalid(`Invalid JSON payload received. Unknown name "${extra}" at '${at}': Cannot find field.`)
  const data = Object.keys(part).filter((name) => dataFields.test(name))
  if (data.length > 1) return invalid(`'${at}': oneof field 'data' is already set.`)
  const empty = data.length === 0 || part.text === ''
  if (empty && part.thoughtSignature === undefined)
    return invalid(`${at}.data: required oneof field 'data' must have one initialized field`)
  if (part.inlineData !== undefined) return inlineFault(part.inlineData, at)
  if (
    isObject(part.fileData) &&
    !/^(gs:\/\/|https:\/\/(generativelanguage\.googleapis|www\.youtube|youtu))/.test(textOf(part.fileData.fileUri))
  ) {
    return invalid('Cannot fetch content from the provided URL.')
  }
  if (part.functionCall !== undefined) return callFault(part.functionCall, at, model)
  if (part.functionResponse !== undefined) return responseFault(part.functionResponse, at, model)
  return undefined
}

function inlineFault(data: unknown, at: string): GeminiFault | undefined {
  if (!isObject(data) || unknownField(data, 'mimeType data displayName') !== undefined)
    return invalid(`Invalid value at '${at}.inline_data'.`)
  if (/^(image|application)\//.test(textOf(data.mimeType)) && mediaOf(textOf(data.mimeType), data.data) === undefined) {
    return invalid('Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting')
  }
  return undefined
}

function callFault(call: unknown, at: string, model: boolean): GeminiFault | undefined {
  if (!isObject(call) || unknownField(call, 'id name args partialArgs willContinue') !== undefined)
    return invalid(`Invalid value at '${at}.function_call'.`)
  if (!model) return invalid('Function calls must be in a content of role model.')
  if (textOf(call.name) === '') return invalid(`* GenerateContentRequest.${at}.function_call.name: Name cannot be empty.`)
  return call.args === undefined || isObject(call.args) ? undefined : invalid(`Invalid value at '${at}.function_call.args' (a Struct).`)
}

function responseFault(response: unknown, at: string, model: boolean): GeminiFault | undefined {
  if (!isObject(response) || unknownField(response, 'id name response parts willContinue scheduling') !== undefined) {
    return invalid(`Invalid value at '${at}.function_response'.`)
  }
  if (model) return invalid('Function responses must be in a content of role user.')
  if (textOf(response.name) === '') return invalid(`* GenerateContentRequest.${at}.function_response.name: Name cannot be empty.`)
  if (!isObject(response.response)) return invalid(`Invalid value at '${at}.function_response.response' (a Struct).`)
  return objects(response.parts)
    .map((part) => inlineFault(part.inlineData, `${at}.function_response.parts`))
    .find((fault) => fault !== undefined)
}

function pairingFault(turns: Content[]): GeminiFault | undefined {
  if (turns[0] !== undefined && callsIn(turns[0]).length > 0) {
    return invalid('Please ensure that function call turn comes immediately after a user turn or after a function response turn.')
  }
  for (const [index, turn] of turns.entries()) {
    const asked = turn.role === 'user' && index > 0 ? callsIn(turns[index - 1] ?? turn) : []
    const given = turn.role === 'user' ? responsesIn(turn) : []
    if (given.length !== asked.length) {
      return invalid(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      )
    }
    for (const [number, response] of given.entries()) {
      const call = asked.find(({ id }) => id !== undefined && id === response.id) ?? asked[number]
      if (call?.name !== response.name || (response.id !== undefined && call?.id !== response.id)) {
        return invalid('Please ensure that function responses match the function calls by name and id.')
      }
    }
  }
  const last = turns.at(-1)
  return last !== undefined && last.role === 'model' && callsIn(last).length > 0
    ? invalid('Please ensure that function call turn is followed by a function response turn.')
    : undefined
}

/** Signatures must be the vendor's own; in the current turn the first call of each step must have one. */
function signatureFault(turns: Content[], issued: ReadonlySet<string>): GeminiFault | undefined {
  const known = (signature: unknown) => signature === sentinel || issued.has(textOf(signature))
  const foreign = turns.some(({ parts }) => parts.some(({ thoughtSignature: own }) => own !== undefined && !known(own)))
  if (foreign) return invalid('Corrupted thought signature.')
  const current = turns.findLastIndex((turn) => turn.role === 'user' && responsesIn(turn).length === 0)
  for (const [index, turn] of turns.entries()) {
    if (index < current || turn.role !== 'model') continue
    const first = turn.parts.find((part) => part.functionCall !== undefined)
    if (first !== undefined && first.thoughtSignature === undefined) {
      return invalid(`Function call is missing a thought_signature in functionCall parts. (position ${index + 1})`)
    }
  }
  return undefined
}
