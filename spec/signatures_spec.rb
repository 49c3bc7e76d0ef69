# frozen_string_literal: true

# sig/ says all that is public, and nothing else. Whether it is valid RBS bin/check-signatures says.
RSpec.describe "sig/" do
  begin
    require "rbs"
  rescue LoadError
    it("is compared with the program") { skip "the gem rbs is not there" }
  end

  if defined?(RBS)
    # Names of instance methods, and of those of the module itself, by the module's name.
    def self.declared
      files = Dir[File.expand_path("../sig/*.rbs", __dir__)]
      all = Hash.new { |hash, name| hash[name] = [[], []] }
      files.each { |path| parsed(File.read(path)).each { |declaration| collect(declaration, "", all) } }
      all
    end

    def self.parsed(text)
      given = RBS::Parser.parse_signature(text)
      # Newer versions also give the directives.
      given.first.is_a?(Array) || given.first.is_a?(RBS::Buffer) ? given.last : given
    end

    def self.collect(declaration, outer, all)
      return unless declaration.respond_to?(:members)

      name = "#{outer}#{declaration.name.to_s.delete_prefix("::")}"
      declaration.members.each do |member|
        case member
        when RBS::AST::Members::MethodDefinition then all[name][member.kind == :singleton ? 1 : 0] << member.name
        when RBS::AST::Members::AttrReader then all[name][0] << member.name
        when RBS::AST::Members::AttrAccessor then all[name][0].push(member.name, :"#{member.name}=")
        else collect(member, "#{name}::", all)
        end
      end
    end

    # What YARD leaves out, as it is the implementation's.
    internal = {
      "Ikra" => %i[chosen], "Ikra::Chain" => %i[explained], "Ikra::Profile" => %i[parts steps]
    }
    declared = self.declared
    require "ikra/doctor"

    declared.each do |name, (instance, singleton)|
      # Those that Ruby's classes have themselves say more than the modules do.
      next unless name.start_with?("Ikra") && name != "Ikra::MinitestAssertions"

      it "has #{name} as it is" do
        type = Object.const_get(name)
        there = type.public_instance_methods(false) - internal.fetch(name, [])
        missing = instance.reject { |method| method == :initialize || type.method_defined?(method) }
        expect(missing).to eq([])
        expect(singleton.reject { |method| type.respond_to?(method) }).to eq([])
        next if name == "Ikra::Diagnostic::Place"

        expect(there - instance).to eq([])
        own = type.singleton_methods(false) - singleton - internal.fetch(name, [])
        own -= %i[all checked_type checked_size of_results holds? ended yaml_tag]
        # What Ruby defines for each Struct.
        own -= %i[new [] members inspect keyword_init?] if type < Struct
        expect(own).to eq([])
      end
    end

    it "has every public class and module" do
      public_ones = Ikra.constants.map { |name| Ikra.const_get(name) }.grep(Module).map(&:name)
      # Empty ones have no methods to declare; others are the command's, or of other specs.
      others = %w[Ikra::CLI Ikra::Testing Ikra::Requirements Ikra::DeviceError Ikra::Refinements]
      expect(public_ones - declared.keys - others).to eq([])
    end
  end
end
