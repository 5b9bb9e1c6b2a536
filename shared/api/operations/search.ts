/** The web search of coding agents, which is passed through to channels that have it. */
import { Type } from '../../typebox.ts'
import { ModelName, Open, OrNull, Whole } from '../fields.ts'

/** POST /v1/alpha/search */
export const SearchRequest = Open({
  id: OrNull(
    Type.String({ maxLength: 512, description: 'Routes further requests of a search to the same channel, which holds its open pages.' }),
  ),
  model: ModelName(),
  input: OrNull(Type.Union([Type.String(), Type.Array(Open({}))])),
  commands: OrNull(Open({})),
  settings: OrNull(Open({})),
  max_output_tokens: OrNull(Whole(1)),
})

/** Response as the upstream sends it. */
export const SearchAnswer = Open({})
