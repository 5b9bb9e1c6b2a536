/** Error messages for failed calls. */
import type { ApiError } from '#client/api/http.ts'
import { tc } from '#client/ui/console/messages.ts'

/** The failure as a sentence: what happened and what to do. */
export function explain(error: ApiError): string {
  switch (error.code) {
    case 'offline':
      return tc('errOffline')
    case 'not_signed_in':
      return tc('errSession')
    case 'not_permitted':
      return tc('errPermission')
    case 'managed_by_file':
      return tc('errFile')
    case 'name_taken':
      return tc('errNameTaken')
    case 'not_found':
      return tc('errNotFound')
    case 'weak_password':
      return tc('errWeak')
    default:
      return error.message === '' ? tc('errUnknown', { code: error.code }) : inWords(withoutParam(error))
  }
}

/** Our messages by the beginning of the server's validation messages; numbers in those become parameters. */
const expectations: readonly (readonly [RegExp, Parameters<typeof tc>[0]])[] = [
  [/^expected a plain decimal number/i, 'errDecimal'],
  [/^expected an address that begins with/i, 'errAddress'],
  [/^expected a time like/i, 'errTime'],
  [/^expected text without control characters/i, 'errControl'],
  [/^expected a whole number from (-?\d+) to (-?\d+)/i, 'errWholeBetween'],
  [/^expected a number from (-?[\d.]+) to (-?[\d.]+)/i, 'errBetween'],
  [/^expected a (?:whole )?number of at least (-?[\d.]+)/i, 'errLeast'],
  [/^expected a (?:whole )?number up to (-?[\d.]+)/i, 'errMost'],
  [/^expected (?:text|a list) that is not empty/i, 'required'],
  [/^expected at least (\d+) characters/i, 'errShort'],
  [/^expected at most (\d+) characters/i, 'errLong'],
  [/^expected a whole number/i, 'errWhole'],
  [/^this field is required/i, 'required'],
]

/** The server's message for people, translated where its kind is known. */
function inWords(message: string): string {
  for (const [begins, key] of expectations) {
    const [found, first, second] = begins.exec(message) ?? []
    if (found !== undefined) return tc(key, { ...(first && { first: Number(first) }), ...(second && { second: Number(second) }) })
  }
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}`
}

/** Without the API's field name: the page has its own labels. */
const withoutParam = ({ message, param }: ApiError): string =>
  param !== undefined && message.startsWith(`${param}: `) ? message.slice(param.length + 2) : message

/** The code and the id of the request, for finding the cause. */
export const detailOf = (error: ApiError): string =>
  [error.code, error.requestId && tc('errRequest', { id: error.requestId })].filter(Boolean).join(' · ')

/** The failure at this field of a form, when it names the field: `budget.daily` also belongs to `budget`. */
export function errorAt(error: ApiError | undefined, ...params: string[]): string | undefined {
  if (error?.param === undefined) return undefined
  const named = error.param
  return params.some((param) => named === param || named.startsWith(`${param}.`)) ? explain(error) : undefined
}
