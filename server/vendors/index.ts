/** The registry of vendors. The build fails when a vendor id of `shared/ids.ts` has no entry here. */
import type { VendorId } from '#shared/ids'
import { anthropic } from './anthropic.ts'
import { azureFoundry } from './clouds/azure-foundry.ts'
import { azureOpenai } from './clouds/azure-openai.ts'
import { bedrock } from './clouds/bedrock.ts'
import { cloudflare } from './clouds/cloudflare.ts'
import { databricks } from './clouds/databricks.ts'
import { vertex } from './clouds/vertex.ts'
import { watsonx } from './clouds/watsonx.ts'
import { cohere } from './cohere.ts'
import { deepgram } from './deepgram.ts'
import { demo } from './demo.ts'
import { elevenlabs } from './elevenlabs.ts'
import { gemini } from './gemini.ts'
import { jina } from './jina.ts'
import { openai } from './openai.ts'
import { openaiCompatible } from './openai-compatible.ts'
import { parley } from './parley.ts'
import { replicate } from './replicate.ts'
import { serviceVendors } from './services/vendors.ts'
import type { Vendor } from './vendor.ts'
import { voyage } from './voyage.ts'

/** Every vendor by id. */
export const vendors: Record<VendorId, Vendor> = {
  openai,
  anthropic,
  gemini,
  'azure-openai': azureOpenai,
  vertex,
  bedrock,
  cohere,
  jina,
  voyage,
  elevenlabs,
  deepgram,
  replicate,
  'azure-foundry': azureFoundry,
  cloudflare,
  databricks,
  watsonx,
  'openai-compatible': openaiCompatible,
  ...serviceVendors,
  parley,
  demo,
}
