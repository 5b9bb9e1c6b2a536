/** The client side of Converse: Messages under other names. */
import type { Wording } from '#canonical/wording'
import { openConverse, writeConverse } from './client-answer.ts'
import { readComparable } from './client-comparable.ts'
import { readConverse } from './client-request.ts'

/** `/model/{model}/converse`. */
export const converse: Wording = { readRequest: (body) => readConverse(body, false), writeAnswer: writeConverse, readComparable }

/** `/model/{model}/converse-stream`. */
export const converseStream: Wording = {
  readRequest: (body) => readConverse(body, true),
  writeAnswer: writeConverse,
  readComparable,
  openStream: openConverse,
}
