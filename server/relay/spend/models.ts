/** The models of one request, looked at by whoever prices them. */
import type { ModelCandidates, RequestModels } from '#relay/contract/steps'
import type { Candidate } from '#routing/order'

/** Every model that may answer, each once. */
export function everyModel({ asked, instead }: RequestModels): ModelCandidates[] {
  return [asked, ...new Set([...instead.error, ...instead.context, ...instead.filter])]
}

/** The model that answered; the one asked for where none did. */
export function answeringModel(models: RequestModels, served: Candidate | undefined): ModelCandidates {
  return everyModel(models).find(({ model }) => model === served?.model.name) ?? models.asked
}
