/** Resolves the ids in rows of the audit trail: found in their text, and looked up all at once. */
import { sql } from 'drizzle-orm'
import type { NamedThing } from '#shared/console/audit'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'
import type { AuditRecord } from './audit.ts'

/** One of Parley's ids, alone or inside a longer one. */
const id = /(?<![0-9A-Za-z])(?:team_|ch_)?[0-9a-f]{24}(?![0-9A-Za-z])/g

/** Current names, for each of the rows by id; deleted ones are missing. At most one query. */
export async function namesInAudit(
  { db }: Pick<Store, 'db'>,
  rows: readonly Pick<AuditRecord, 'target' | 'before' | 'after'>[],
): Promise<Record<string, NamedThing>[]> {
  const ids = rows.map(({ target, before, after }) => [...new Set(JSON.stringify([target, before, after]).match(id))])
  const all = [...new Set(ids.flat())]
  if (all.length === 0) return rows.map(() => ({}))
  const found = await db.execute(sql`
    with asked as materialized (select jsonb_array_elements_text(${JSON.stringify(all)}::text::jsonb) as id)
    select 'user' as kind, id, name from users where id in (select id from asked)
    union all select 'team', id, name from teams where id in (select id from asked)
    union all select 'key', id, name from api_keys where id in (select id from asked)
    union all select 'managementKey', id, name from management_keys where id in (select id from asked)
    union all select 'channel', id, name from channels where id in (select id from asked)
    union all select 'plan', id, name from plans where id in (select id from asked)`)
  const known = new Map(returned<NamedThing & { id: string }>(found).map(({ id, kind, name }) => [id, { kind, name }]))
  return ids.map((some) =>
    Object.fromEntries(
      some.flatMap((one) => {
        const thing = known.get(one)
        return thing ? [[one, thing]] : []
      }),
    ),
  )
}
