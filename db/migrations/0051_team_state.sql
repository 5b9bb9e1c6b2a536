ALTER TABLE "background_responses" DROP CONSTRAINT "background_responses_tenant_users_id_fk";
--> statement-breakpoint
ALTER TABLE "batches" DROP CONSTRAINT "batches_tenant_users_id_fk";
--> statement-breakpoint
ALTER TABLE "stored_files" DROP CONSTRAINT "stored_files_tenant_users_id_fk";
--> statement-breakpoint
ALTER TABLE "item_conversations" DROP CONSTRAINT "item_conversations_tenant_users_id_fk";
--> statement-breakpoint
ALTER TABLE "stored_responses" DROP CONSTRAINT "stored_responses_tenant_users_id_fk";
