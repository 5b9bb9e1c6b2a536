/** A message of the upstream. */
import { isObject } from '#shared/json'
import type { Body } from '../proto-json.ts'

/** Undefined for anything else, which is still forwarded. */
export function messageIn(text: string): Body | undefined {
  try {
    const message: unknown = JSON.parse(text)
    return isObject(message) ? message : undefined
  } catch {
    return undefined
  }
}
