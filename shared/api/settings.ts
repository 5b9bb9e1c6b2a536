/** Responses about the installation: settings and environment. */
import { type EnvironmentRow, Fallback, type SettingsRow } from '../console/settings.ts'
import { Type } from '../typebox.ts'
import { Nullable, says } from './console.ts'
import { Open } from './fields.ts'

const Names = () => Type.Array(Type.String())
const counts = { keys: Type.Integer(), modelsPerKey: Type.Integer(), conversations: Type.Integer(), conversationBytes: Type.Integer() }
/** GET and PATCH /api/settings */
export const SettingsAnswer = says<SettingsRow>().of(
  Open({
    moderationModel: Type.String(),
    fallbacks: Type.Record(Type.String(), Fallback),
    keepLogsMonths: Nullable(Type.Integer()),
    shareLinks: Type.Boolean({ description: 'Whether users may make links by which anybody reads a copy of a conversation.' }),
    quotas: Open({ ...counts }),
    managedByFile: Open({ fallbacks: Names() }),
    defaults: Open({
      moderationModel: Type.String(),
      keepLogsMonths: Type.Null(),
      shareLinks: Type.Literal(false),
      quotas: Open({ ...counts }),
    }),
    changed: Names(),
  }),
)

/** A row of GET /api/environment. */
export const EnvironmentAnswer = says<EnvironmentRow>().of(
  Open({
    name: Type.String(),
    meaning: Type.String(),
    default: Type.String(),
    set: Type.Boolean(),
    value: Nullable(Type.String({ description: 'Null when it is not set, and for secrets.' })),
  }),
)
