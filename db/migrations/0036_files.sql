-- Files that users upload for their requests. New tables only.
CREATE TABLE "stored_file_pieces" (
	"tenant" text NOT NULL,
	"id" text NOT NULL,
	"place" integer NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "stored_file_pieces_tenant_id_place_pk" PRIMARY KEY("tenant","id","place")
);
--> statement-breakpoint
CREATE TABLE "stored_files" (
	"tenant" text NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"is_whole" boolean NOT NULL,
	"bytes" bigint NOT NULL,
	"pieces" integer NOT NULL,
	"purpose" text NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "stored_files_tenant_id_pk" PRIMARY KEY("tenant","id")
);
--> statement-breakpoint
ALTER TABLE "stored_file_pieces" ADD CONSTRAINT "stored_file_pieces_tenant_id_stored_files_tenant_id_fk" FOREIGN KEY ("tenant","id") REFERENCES "public"."stored_files"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stored_files" ADD CONSTRAINT "stored_files_tenant_users_id_fk" FOREIGN KEY ("tenant") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "stored_files_expires" ON "stored_files" USING btree ("expires_at");