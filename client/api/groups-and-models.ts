/** What the signed-in user may call, and for whose money: groups, the models of each, teams. Lists are read to their last page. */
import type { GroupRow } from '#shared/console/group'
import type { ModelRow, Page } from '#shared/console/model'
import type { TeamRow } from '#shared/console/team'
import { callApi } from './http.ts'

/** All groups that the user, or the team of this id, may use. Throws ApiError. */
export const readGroups = (team?: string) => readAll<GroupRow>(`/api/groups?limit=200${ofTeam(team)}`)

/** Models of `group` that can chat, for the user or the team of this id. Throws ApiError. */
export const readModels = async (group: string, team?: string): Promise<ModelRow[]> => {
  const rows = await readAll<ModelRow>(`/api/models?limit=200&group=${encodeURIComponent(group)}${ofTeam(team)}`)
  return rows.filter((row) => row.operations.includes('generate'))
}

const ofTeam = (team: string | undefined) => (team === undefined ? '' : `&team=${encodeURIComponent(team)}`)

/** The team of this id. Throws ApiError. */
export const readTeam = (id: string) => callApi<TeamRow>('GET', `/api/teams/${encodeURIComponent(id)}`)

/** Teams whose money the user may spend. Throws ApiError. */
export const readTeams = async (): Promise<TeamRow[]> => {
  const rows = await readAll<TeamRow>('/api/teams?limit=200')
  return rows.filter(({ role, enabled }) => enabled && role !== null && role !== 'accountant')
}

async function readAll<Row>(path: string): Promise<Row[]> {
  const rows: Row[] = []
  let next: string | null = ''
  while (next !== null) {
    const page: Page<Row> = await callApi('GET', next === '' ? path : `${path}&after=${encodeURIComponent(next)}`)
    rows.push(...page.data)
    next = page.next
  }
  return rows
}
