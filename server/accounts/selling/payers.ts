import type { Directory } from '#accounts/directory'

/** Most names that a search continues with; a longer text narrows them down. */
const mostPayers = 200

/** Ids of the users and teams whose name contains the text, ignoring case. */
export function payersLike({ users, teams }: Directory, text: string): string[] {
  const found: string[] = []
  const look = (id: string, name: string) => name.toLowerCase().includes(text.toLowerCase()) && found.push(id)
  for (const { id, name } of users.all()) if (found.length < mostPayers) look(id, name)
  for (const { team } of teams.all()) if (found.length < mostPayers) look(team.id, team.name)
  return found
}
