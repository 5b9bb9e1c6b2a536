/** The registry of vendors. It does not compile when a vendor id of `shared/ids.ts` has no entry here. */
import type { VendorId } from '#shared/ids'
import { demo } from './demo.ts'
import { openai } from './openai.ts'
import { openaiCompatible } from './openai-compatible.ts'
import type { Vendor } from './vendor.ts'

export const vendors: Record<VendorId, Vendor> = {
  openai,
  'openai-compatible': openaiCompatible,
  demo,
}
