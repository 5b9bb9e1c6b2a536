/** The reference in Chinese: each text by its English form. A test reports missing and unused ones. */
import { addresses } from './addresses.ts'
import { batches } from './batches.ts'
import { books } from './books.ts'
import { consoleEndpoints } from './console.ts'
import { endpoints } from './endpoints.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { fields } from './fields.ts'
import { files } from './files.ts'
import { lossReasons } from './loss-reasons.ts'
import { losses } from './losses.ts'
import { objects } from './objects.ts'
import { pages } from './pages.ts'
import { people } from './people.ts'
import { realtime } from './realtime.ts'
import { selling } from './selling.ts'
import { teams } from './teams.ts'

/** Names that are the same in both languages. */
const names = ['Base64', 'A JSON Schema', 'Responses', 'Messages', 'URL', 'Gemini', 'JSON schema', 'top_p', 'top_k']

/** All texts of the reference. */
export const chinese: Readonly<Record<string, string>> = {
  ...Object.fromEntries(names.map((name) => [name, name])),
  ...pages,
  ...endpoints,
  ...addresses,
  ...books,
  ...consoleEndpoints,
  ...fields,
  ...files,
  ...batches,
  ...errors,
  ...events,
  ...losses,
  ...objects,
  ...realtime,
  ...lossReasons,
  ...selling,
  ...teams,
  ...people,
}
