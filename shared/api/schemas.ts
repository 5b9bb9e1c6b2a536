/** Every schema that the API reference names, by its name there. `of('ChatRequest')` refers to one; a misspelt name does not compile. */
import { ChannelDraft, ChannelPatch, NewChannel } from '../console/channel.ts'
import { GroupPatch, NewGroup } from '../console/group.ts'
import { KeyPatch, NewKey, Rotation } from '../console/key.ts'
import { NewManagementKey } from '../console/management-key.ts'
import { PriceFields } from '../console/price.ts'
import { ProbeQuestion } from '../console/probe.ts'
import { RouteQuestion } from '../console/route.ts'
import { PasswordChange, ProviderSignIn } from '../console/session.ts'
import { SettingsPatch } from '../console/settings.ts'
import { Credit, KeptConversation, NewShare, NewUser, Setup, SignIn, UserPatch } from '../console/user.ts'
import { CountTokensRequest, MessagesRequest } from '../protocols/anthropic/messages.ts'
import { GeminiBatchEmbedRequest, GeminiEmbedRequest } from '../protocols/gemini/embeddings.ts'
import { GenerateContentRequest } from '../protocols/gemini/generate-content.ts'
import { ChatRequest } from '../protocols/openai/chat.ts'
import { CompletionsRequest } from '../protocols/openai/completions.ts'
import { ResponsesRequest } from '../protocols/openai/responses.ts'
import type { TSchema } from '../typebox.ts'
import * as audio from './audio.ts'
import * as bodies from './bodies.ts'
import { BooksAnswer } from './books.ts'
import * as rows from './console.ts'
import * as embeddings from './embeddings.ts'
import * as errors from './errors.ts'
import * as generation from './generation.ts'
import * as images from './images.ts'
import * as models from './models.ts'
import * as moderations from './moderations.ts'
import * as overview from './overview.ts'
import * as people from './people.ts'
import * as rerank from './rerank.ts'
import * as search from './search.ts'
import * as settings from './settings.ts'
import * as usage from './usage.ts'

/** Every named schema. */
export const schemas = {
  ChatRequest,
  ChatCompletion: generation.ChatCompletion,
  CompletionsRequest,
  TextCompletion: generation.TextCompletion,
  ResponsesRequest,
  Response: generation.ResponseObject,
  ResponseItems: generation.ResponseItems,
  DeletedResponse: generation.DeletedResponse,
  CompactionRequest: generation.CompactionRequest,
  Compaction: generation.CompactionObject,
  MessagesRequest,
  Message: generation.MessageObject,
  MessageTokensRequest: CountTokensRequest,
  MessageTokens: generation.MessageTokens,
  GenerateContentRequest,
  GenerateContentResponse: generation.GenerateContentResponse,
  ContentTokensRequest: generation.ContentTokensRequest,
  ContentTokens: generation.ContentTokens,
  EmbeddingsRequest: embeddings.EmbeddingsRequest,
  EngineEmbeddingsRequest: embeddings.EngineEmbeddingsRequest,
  EmbeddingList: embeddings.EmbeddingList,
  EmbedContentRequest: GeminiEmbedRequest,
  EmbedContentResponse: embeddings.EmbedContentResponse,
  BatchEmbedRequest: GeminiBatchEmbedRequest,
  BatchEmbedResponse: embeddings.BatchEmbedResponse,
  ImageRequest: images.ImageRequest,
  ImageEditRequest: images.ImageEditRequest,
  ImageEditForm: images.ImageEditForm,
  ImageList: images.ImageList,
  TranscriptionForm: audio.TranscriptionForm,
  TranslationForm: audio.TranslationForm,
  Transcript: audio.Transcript,
  SpeechRequest: audio.SpeechRequest,
  RerankRequest: rerank.RerankRequest,
  RerankAnswer: rerank.RerankAnswer,
  ModerationRequest: moderations.ModerationRequest,
  ModerationAnswer: moderations.ModerationAnswer,
  SearchRequest: search.SearchRequest,
  SearchAnswer: search.SearchAnswer,
  KeyFacts: people.KeyFactsAnswer,
  OpenaiModel: models.OpenaiModel,
  OpenaiModels: models.OpenaiModels,
  MessagesModel: models.MessagesModel,
  MessagesModels: models.MessagesModels,
  GeminiModel: models.GeminiModel,
  GeminiModels: models.GeminiModels,
  OpenaiError: errors.OpenaiError,
  MessagesError: errors.MessagesError,
  GeminiError: errors.GeminiError,
  Status: rows.StatusAnswer,
  Setup,
  SetupAnswer: rows.SetupAnswer,
  SignIn,
  ProviderSignIn,
  ProviderAnswer: people.ProviderAnswer,
  PasswordChange,
  NewManagementKey,
  ManagementKey: people.ManagementKeyAnswer,
  ManagementKeys: rows.PageOf(people.ManagementKeyAnswer),
  Quotas: rows.PageOf(people.QuotaAnswer),
  Sessions: rows.PageOf(people.SessionAnswer),
  KeptConversation,
  KeptConversations: rows.PageOf(people.KeptAnswer),
  NewShare,
  Share: people.ShareAnswer,
  Shares: rows.PageOf(people.ShareAnswer),
  SharedConversation: people.SharedConversationAnswer,
  Environment: rows.PageOf(settings.EnvironmentAnswer),
  Identities: rows.PageOf(people.IdentityAnswer),
  User: rows.UserAnswer,
  NewUser,
  UserPatch,
  Credit,
  Account: rows.AccountAnswer,
  Accounts: rows.PageOf(rows.AccountAnswer),
  AuditRows: rows.PageOf(people.AuditAnswer),
  Entries: rows.PageOf(people.EntryAnswer),
  NewGroup,
  GroupPatch,
  Group: rows.GroupAnswer,
  Groups: rows.PageOf(rows.GroupAnswer),
  Models: rows.PageOf(rows.ModelAnswer),
  NewKey,
  KeyPatch,
  Rotation,
  Key: rows.KeyAnswer,
  Keys: rows.PageOf(rows.KeyAnswer),
  PriceFields,
  Price: rows.PriceAnswer,
  Prices: rows.PageOf(rows.PriceAnswer),
  NewChannel,
  ChannelPatch,
  ChannelDraft,
  Channel: rows.ChannelAnswer,
  Channels: rows.PageOf(rows.ChannelAnswer),
  ChannelHealth: rows.PageOf(rows.HealthAnswer),
  Ailments: rows.PageOf(rows.AilmentAnswer),
  ProbeQuestion,
  ProbeAnswer: rows.ProbeAnswer,
  UpstreamModels: rows.UpstreamModelsAnswer,
  Settings: settings.SettingsAnswer,
  SettingsPatch,
  Books: BooksAnswer,
  KeptBody: bodies.KeptBodyAnswer,
  DeletedBodies: bodies.DeletedBodies,
  LogRow: usage.LogAnswer,
  LogRows: rows.PageOf(usage.LogAnswer),
  UsageRows: rows.PageOf(usage.UsageAnswer),
  FoundRows: rows.PageOf(overview.FoundAnswer),
  Overview: overview.OverviewAnswer,
  RouteQuestion,
  RouteAnswer: rows.RouteAnswer,
  Preview: rows.PreviewAnswer,
} as const satisfies Record<string, TSchema>

/** Name of a schema. */
export type SchemaName = keyof typeof schemas
