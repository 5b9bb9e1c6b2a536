/** What a person reads when a call failed. */
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
    default:
      return error.message === '' ? tc('errUnknown', { code: error.code }) : error.message
  }
}

/** The code and the id of the request, for whoever looks for the cause. */
export const detailOf = (error: ApiError): string =>
  [error.code, error.requestId && tc('errRequest', { id: error.requestId })].filter(Boolean).join(' · ')

/** The failure at this field of a form, when it names the field: `budget.daily` also belongs to `budget`. */
export function errorAt(error: ApiError | undefined, ...params: string[]): string | undefined {
  if (error?.param === undefined) return undefined
  const named = error.param
  return params.some((param) => named === param || named.startsWith(`${param}.`)) ? explain(error) : undefined
}
